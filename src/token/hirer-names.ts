import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { within } from '../concurrency/within.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { ExchangeFault, type IncomingAnswer } from '../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../http/header-values.js';
import type { RequestContext } from '../http/request-context.js';
import { isObject } from '../json/is-object.js';
import { GraphqlEndpoint, graphqlHeaders } from '../upstream/graphql-endpoint.js';
import { readJsonObject } from '../upstream/json-answer.js';
import { codeOf, REFUSAL_CODES, UNAUTHENTICATED } from '../upstream/upstream-error.js';
import { PartnerTokens } from './partner-tokens.js';
import { sendWithToken, type TokenSource } from './token-renewal.js';

const NAMES_MAX = 10_000;
const NAMES_BYTES_MAX = 8_388_608;
const ENTRY_OVERHEAD_BYTES = 200;
const KNOWN_MS = 600_000;
const MISSING_MS = 300_000;
const REFUSED_MS = 30_000;
const PAUSE_MS = 5_000;
const DEADLINE_MS_MAX = 3_000;
const HIRERS_PER_CALL_MAX = 20;
const CONCURRENT_CALLS_MAX = 4;
const ANSWER_BYTES_MAX = 262_144;

/** A hirer's name, and for how long it is remembered. */
interface HirerName {
  readonly name: string | null;
  readonly ttl: number;
}

/**
 * Names of hirers, by the upstream's `hiringOrganization` query (interface 2.5) with the partner token. The caller has
 * established that the user belongs to the hirers. A few names are requested one by one, many together. Concurrent
 * requests for a name share one call, and all names of a request share one deadline. A name that cannot be read is null:
 * after a failure no call is made for a pause, and after a refusal none for the hirers of that call, for half a minute.
 */
@Injectable()
export class HirerNames {
  private readonly names: LRUCache<string, HirerName>;
  /** The calls under way, by hirer. */
  private readonly lookups = new Map<string, Promise<void>>();
  private readonly deadlineMs: number;
  private pausedUntil = -Infinity;

  constructor(
    @Inject(GraphqlEndpoint) private readonly graphql: Pick<GraphqlEndpoint, 'send'>,
    @Inject(PartnerTokens) private readonly partnerTokens: TokenSource,
    @Inject(CONFIG) { UPSTREAM_TIMEOUT_MS }: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
    /** Milliseconds of a clock that is never set. */
    @Default() private readonly now: () => number = () => performance.now(),
  ) {
    this.deadlineMs = Math.min(DEADLINE_MS_MAX, UPSTREAM_TIMEOUT_MS);
    const bytesOf = ({ name }: HirerName, hirerId: string): number =>
      2 * (hirerId.length + (name?.length ?? 0)) + ENTRY_OVERHEAD_BYTES;
    this.names = new LRUCache({
      max: NAMES_MAX,
      maxSize: NAMES_BYTES_MAX,
      sizeCalculation: bytesOf,
      perf: { now },
      ttlResolution: 0,
    });
  }

  /** The name of each hirer, in order, in 3 s at most. Never throws for what the upstream does. */
  async of(hirerIds: readonly string[], context: RequestContext): Promise<(string | null)[]> {
    const missing = hirerIds.filter((hirerId) => !this.names.has(hirerId));
    this.lookUp(
      missing.filter((hirerId) => !this.lookups.has(hirerId)),
      context,
    );
    const wanted = new Set(missing.flatMap((hirerId) => this.lookups.get(hirerId) ?? []));
    if (wanted.size > 0) {
      context.hasWaited = true;
      await within(this.deadlineMs, Promise.all(wanted));
    }
    return hirerIds.map((hirerId) => this.names.get(hirerId)?.name ?? null);
  }

  /** Drops a hirer's name, so that it is requested again when next needed. */
  forget(hirerId: string): void {
    this.names.delete(hirerId);
    this.lookups.delete(hirerId);
  }

  private lookUp(hirerIds: readonly string[], context: RequestContext): void {
    const deadline = performance.now() + this.deadlineMs;
    const perCall = hirerIds.length <= CONCURRENT_CALLS_MAX ? 1 : HIRERS_PER_CALL_MAX;
    const lanes = new Array<Promise<unknown>>(CONCURRENT_CALLS_MAX).fill(Promise.resolve());
    for (let start = 0; start < hirerIds.length; start += perCall) {
      const some = hirerIds.slice(start, start + perCall);
      const lane = (start / perCall) % CONCURRENT_CALLS_MAX;
      const lookup = lanes[lane]!.then(async () => {
        let found: readonly HirerName[] | undefined;
        try {
          found = await this.ask(some, context, deadline);
        } finally {
          for (const [index, hirerId] of some.entries()) {
            if (this.lookups.get(hirerId) !== lookup) continue; // it was forgotten during the call
            this.lookups.delete(hirerId);
            if (found) this.names.set(hirerId, found[index], { ttl: found[index]!.ttl });
          }
        }
      });
      lanes[lane] = lookup.catch(() => undefined); // the waiting callers see the error
      for (const hirerId of some) this.lookups.set(hirerId, lookup);
    }
  }

  /** Undefined, and a pause, when the upstream fails. */
  private async ask(
    hirerIds: readonly string[],
    context: RequestContext,
    deadline: number,
  ): Promise<readonly HirerName[] | undefined> {
    if (this.now() < this.pausedUntil || performance.now() >= deadline) return undefined;
    const body = namesQuery(hirerIds);
    const send = (token: string): Promise<IncomingAnswer> => {
      const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
      const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, timeoutMs };
      return this.graphql.send(body, graphqlHeaders(token), bounds, context);
    };
    let pauseMs = PAUSE_MS;
    try {
      const answer = await sendWithToken(this.partnerTokens, context, send, isRefused);
      const { data, errors } = readJsonObject(answer) ?? {};
      if (isObject(data) || refusesWhatWasAsked(errors)) {
        const missingMs = errors === undefined ? MISSING_MS : REFUSED_MS; // for these hirers only
        return hirerIds.map((_, index) => readName(isObject(data) ? data[`h${index}`] : null, missingMs));
      }
      const waitSeconds = retryAfterSeconds(answer.headers['retry-after'], Date.now()) ?? 0;
      pauseMs = Math.max(PAUSE_MS, waitSeconds * 1_000);
    } catch (error) {
      if (!(error instanceof ExchangeFault || error instanceof BffError)) throw error;
    }
    this.pausedUntil = this.now() + pauseMs;
    return undefined;
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

function readName(organization: unknown, missingMs: number): HirerName {
  const name = isObject(organization) ? organization['name'] : undefined;
  return typeof name === 'string' ? { name, ttl: KNOWN_MS } : { name: null, ttl: missingMs };
}

function refusesWhatWasAsked(errors: unknown): boolean {
  if (!Array.isArray(errors) || errors.length === 0) return false;
  return errors.every((error) => REFUSAL_CODES.has(codeOf(error) ?? ''));
}

function isRefused(answer: IncomingAnswer): boolean {
  const errors = readJsonObject(answer)?.['errors'];
  const isNamed = Array.isArray(errors) && errors.some((error) => codeOf(error) === UNAUTHENTICATED);
  return answer.status === 401 || isNamed;
}
