import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';
import { within } from '../concurrency/within.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { ExchangeFault, type IncomingAnswer } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { isObject } from '../json/parse-json.js';
import { codeOf, readJsonObject, UNAUTHENTICATED } from '../upstream/upstream-answer.js';
import { Upstream } from '../upstream/upstream.js';
import { PartnerTokens } from './partner-tokens.js';
import { sendWithToken, type TokenSource } from './replace-refused-token.js';

const NAMES_MAX = 10_000;
const NAME_CHARACTERS_MAX = 1_000;
const KNOWN_MS = 600_000;
const UNKNOWN_MS = 30_000;
const PAUSE_MS = 5_000;
const DEADLINE_MS_MAX = 3_000;
const HIRERS_PER_CALL_MAX = 20;
const ANSWER_BYTES_MAX = 262_144;
const TOO_MANY_REQUESTS = 429;

/**
 * Names of hirers, by the upstream's `hiringOrganization` query (interface 2.5) with the partner token, for users who
 * are known to belong to them. All names of a request have one deadline. A name that cannot be read is null: for half a
 * minute when the upstream does not say it, and for a pause after the upstream failed, while nobody is asked.
 */
@Injectable()
export class HirerNames {
  private readonly names: LRUCache<string, { readonly name: string | null }>;
  private readonly calls = new SingleFlight<void>();
  private readonly deadlineMs: number;
  private pausedUntil = -Infinity;
  /** How often a name was dropped: what was asked for before is kept briefly. */
  private changes = 0;

  constructor(
    @Inject(Upstream) private readonly upstream: Pick<Upstream, 'sendGraphql'>,
    @Inject(PartnerTokens) private readonly partnerTokens: TokenSource,
    @Inject(CONFIG) { UPSTREAM_TIMEOUT_MS }: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
    /** Milliseconds of a clock that is never set. */
    @Default() private readonly now: () => number = () => performance.now(),
  ) {
    this.deadlineMs = Math.min(DEADLINE_MS_MAX, UPSTREAM_TIMEOUT_MS);
    this.names = new LRUCache({ max: NAMES_MAX, perf: { now }, ttlResolution: 0 });
  }

  /** The name of each hirer, in order, in 3 s at most. Never throws for what the upstream does. */
  async of(hirerIds: readonly string[], context: RequestContext): Promise<(string | null)[]> {
    const missing = hirerIds.filter((hirerId) => !this.names.has(hirerId));
    if (missing.length > 0) {
      context.hasWaited = true;
      await within(this.deadlineMs, this.lookUp(missing, context));
    }
    return hirerIds.map((hirerId) => this.names.get(hirerId)?.name ?? null);
  }

  /** Drops a hirer's name, so that it is requested again when next needed. */
  forget(hirerId: string): void {
    this.changes += 1;
    this.names.delete(hirerId);
  }

  private async lookUp(hirerIds: readonly string[], context: RequestContext): Promise<void> {
    const endsAt = performance.now() + this.deadlineMs;
    for (let start = 0; start < hirerIds.length; start += HIRERS_PER_CALL_MAX) {
      if (this.now() < this.pausedUntil || performance.now() >= endsAt) return;
      const some = hirerIds.slice(start, start + HIRERS_PER_CALL_MAX);
      await this.calls.run(JSON.stringify(some), () => this.ask(some, context));
    }
  }

  private async ask(hirerIds: readonly string[], context: RequestContext): Promise<void> {
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, timeoutMs: this.deadlineMs };
    const { changes } = this;
    const send = (token: string): Promise<IncomingAnswer> =>
      this.upstream.sendGraphql(namesQuery(hirerIds), { token, ...bounds }, context);
    try {
      const answer = await sendWithToken(this.partnerTokens, context, send, isRefused);
      const body = readJsonObject(answer);
      if (!body || answer.status === TOO_MANY_REQUESTS || answer.status >= 500) return this.pause();
      const { data } = body;
      for (const [index, hirerId] of hirerIds.entries()) {
        const name = readName(isObject(data) ? data[`h${index}`] : null);
        const mayHaveChanged = name === null || changes !== this.changes;
        this.names.set(hirerId, { name }, { ttl: mayHaveChanged ? UNKNOWN_MS : KNOWN_MS });
      }
    } catch (error) {
      if (!(error instanceof ExchangeFault || error instanceof BffError)) throw error;
      this.pause();
    }
  }

  private pause(): void {
    this.pausedUntil = this.now() + PAUSE_MS;
  }
}

/** Body of the query for the names of hirers (interface 2.5): a root field each (4.4). */
export function namesQuery(hirerIds: readonly string[]): string {
  const variables = hirerIds.map((_, index) => `$id${index}: String!`).join(', ');
  const fields = hirerIds.map((_, index) => `h${index}: hiringOrganization(id: $id${index}) { name }`);
  return JSON.stringify({
    query: `query HirerNames(${variables}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(hirerIds.map((hirerId, index) => [`id${index}`, hirerId])),
  });
}

function readName(organization: unknown): string | null {
  const name = isObject(organization) ? organization['name'] : undefined;
  return typeof name === 'string' && name.length <= NAME_CHARACTERS_MAX ? name : null;
}

function isRefused(answer: IncomingAnswer): boolean {
  const errors = readJsonObject(answer)?.['errors'];
  const isNamed = Array.isArray(errors) && errors.some((error) => codeOf(error) === UNAUTHENTICATED);
  return answer.status === 401 || isNamed;
}
