import { LRUCache } from 'lru-cache';
import type { GraphqlEndpoint } from '../upstream/graphql-endpoint.js';
import { UpstreamFault } from '../upstream/http-exchange.js';
import { readJsonObject } from '../upstream/json-answer.js';
import type { RequestContext } from '../upstream/request-context.js';
import { BffError } from '../errors/bff-error.js';
import type { PartnerTokens } from './partner-tokens.js';

const NAMES_MAX = 10_000;
const KNOWN_MS = 600_000;
const UNKNOWN_MS = 30_000;
const HIRERS_PER_REQUEST = 20;
const ANSWER_BYTES_MAX = 262_144;

/**
 * Names of hirers, by the upstream's `hiringOrganization` query (interface 2.5) with the partner token. Asked only for
 * hirers the user is known to belong to. A name that cannot be had is null, and asked for again after a while.
 */
export class HirerNames {
  private readonly names: LRUCache<string, { name: string | null }>;

  constructor(
    private readonly graphql: GraphqlEndpoint,
    private readonly partnerTokens: PartnerTokens,
    now: () => number = Date.now,
  ) {
    this.names = new LRUCache({ max: NAMES_MAX, perf: { now } });
  }

  /** The name of each hirer, in order. Never throws for what the upstream does. */
  async of(hirerIds: readonly string[], context: RequestContext): Promise<(string | null)[]> {
    const missing = hirerIds.filter((hirerId) => !this.names.has(hirerId));
    const found = new Map<string, string | null>();
    for (let start = 0; start < missing.length; start += HIRERS_PER_REQUEST) {
      const some = missing.slice(start, start + HIRERS_PER_REQUEST);
      const names = await this.fetch(some, context);
      some.forEach((hirerId, index) => found.set(hirerId, names[index] ?? null));
    }
    for (const [hirerId, name] of found) {
      this.names.set(hirerId, { name }, { ttl: name === null ? UNKNOWN_MS : KNOWN_MS });
    }
    return hirerIds.map((hirerId) => found.get(hirerId) ?? this.names.get(hirerId)?.name ?? null);
  }

  /** Asks again for a hirer's name when it is next wanted. */
  forget(hirerId: string): void {
    this.names.delete(hirerId);
  }

  /** One operation with a root field a hirer (interface 4.4, field-based batching). */
  private async fetch(hirerIds: readonly string[], context: RequestContext): Promise<(string | null)[]> {
    try {
      const token = await this.partnerTokens.get(context);
      const answer = await this.graphql.send(
        { token, body: namesQuery(hirerIds), bodyBytesMax: ANSWER_BYTES_MAX },
        context,
      );
      const body = readJsonObject(answer) ?? {};
      if (isUnauthenticated(body['errors'])) await this.partnerTokens.drop(token);
      return hirerIds.map((_, index) => readName(body['data'], `h${index}`));
    } catch (fault) {
      if (fault instanceof UpstreamFault || fault instanceof BffError) return [];
      throw fault;
    }
  }
}

function namesQuery(hirerIds: readonly string[]): string {
  const variables = hirerIds.map((_, index) => `$id${index}: String!`).join(', ');
  const fields = hirerIds
    .map((_, index) => `h${index}: hiringOrganization(id: $id${index}) { name }`)
    .join(' ');
  return JSON.stringify({
    query: `query HirerNames(${variables}) { ${fields} }`,
    variables: Object.fromEntries(hirerIds.map((hirerId, index) => [`id${index}`, hirerId])),
  });
}

function readName(data: unknown, alias: string): string | null {
  const organization = isRecord(data) ? data[alias] : undefined;
  const name = isRecord(organization) ? organization['name'] : undefined;
  return typeof name === 'string' ? name : null;
}

function isUnauthenticated(errors: unknown): boolean {
  return (
    Array.isArray(errors) &&
    errors.some(
      (error) =>
        isRecord(error) && isRecord(error['extensions']) && error['extensions']['code'] === 'UNAUTHENTICATED',
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
