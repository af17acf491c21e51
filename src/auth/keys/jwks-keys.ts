import { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createLocalJWKSet, errors, type CryptoKey, type JWK } from 'jose';
import { every, type Loop } from '../../concurrency/every.js';
import type { Algorithm } from '../../config/values/public-keys.js';
import { BffError } from '../../errors/bff-error.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Check } from '../../telemetry/health.js';
import type { Log } from '../../telemetry/log.js';
import { TokenFault } from '../token-fault.js';
import type { KeySetEndpoint } from './discovery.js';
import { readKeySet } from './key-set.js';
import type { KeyHint, KeySource, ReloadableKeys } from './key-source.js';

/** Age at which the set is fetched again in the background. */
export const REFRESH_MS = 5 * 60_000;
/** How long after that the set stays in use while its endpoint is down. */
export const STALE_MS = 60 * 60_000;
/** Minimum time between two fetches, whatever tokens arrive and however the last fetch ended. */
export const FETCH_PAUSE_MS = 30_000;
const TICK_MS = 1_000;
/** Algorithms accepted in a JWK set if `END_USER_ALGORITHMS` is empty. */
export const DEFAULT_ALGORITHMS: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * The keys of a JWK set (RFC 7517 section 5), chosen from by jose. The set is fetched at start, every five minutes, and
 * for a token that no key verifies, at most once in thirty seconds unless an operator asks, by a clock that is never set.
 * While its endpoint is down, the last set is used for an hour.
 */
export class JwksKeys implements KeySource, ReloadableKeys {
  readonly setting = 'END_USER_JWKS_URL';
  readonly algorithms: readonly Algorithm[];
  generation = 0;
  /** True if the latest fetch failed. */
  isFailing = false;
  /** Undefined until it is fetched, and once it is dropped. */
  private current: KnownSet | undefined;
  private attemptedAt = -Infinity;
  private fetching: Promise<void> | undefined;
  private loop: Loop | undefined;

  /** @param algorithms `END_USER_ALGORITHMS`; RS256, PS256, ES256 and EdDSA when empty */
  constructor(
    private readonly endpoint: KeySetEndpoint,
    algorithms: readonly Algorithm[],
    private readonly log: Log,
    private readonly now: () => number = () => performance.now(),
    private readonly calls?: CallReports,
  ) {
    this.algorithms = algorithms.length > 0 ? algorithms : DEFAULT_ALGORITHMS;
  }

  onApplicationBootstrap(): void {
    const unexpected = (error: unknown): void =>
      this.log.error({ err: error }, 'the JWK set cannot be refreshed');
    this.loop = every(TICK_MS, () => this.refreshWhenDue(), unexpected);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.loop?.stop(), this.endpoint.close()]);
  }

  /** At most one key: when several fit a token, guessing among them would hide a mistake of the issuer. */
  async find(hint: KeyHint): Promise<readonly KeyObject[]> {
    if (!this.algorithms.includes(hint.alg)) throw new TokenFault('unknown_key');
    const known = await this.pick(hint);
    if (known.length > 0) return known;
    await this.refresh();
    const keys = await this.pick(hint);
    if (keys.length > 0) return keys;
    if (this.isUsable()) throw new TokenFault('unknown_key');
    throw new BffError('unavailable', { message: 'there is no current JWK set' });
  }

  /** Asks for the set again, under the pause: a forged token with a known id costs no more than one with an unknown id. */
  async findNewer(hint: KeyHint, found: readonly KeyObject[]): Promise<readonly KeyObject[]> {
    await this.refresh();
    return (await this.pick(hint)).filter((key) => !found.some((known) => known.equals(key)));
  }

  /** Fetches the set when it is old, or when the last fetch failed and the pause since then is over. Never rejects. */
  async refreshWhenDue(): Promise<void> {
    const due = this.attemptedAt + (this.isFailing ? FETCH_PAUSE_MS : REFRESH_MS);
    if (this.now() >= due) await this.refresh();
  }

  /** Fetches the set now, without regard to the pause. */
  async reload(): Promise<boolean> {
    await this.fetching; // one already under way may miss the change
    await (this.fetching ??= this.fetch());
    return !this.isFailing;
  }

  drop(): void {
    this.current = undefined;
    this.generation += 1;
  }

  get ageMs(): number | undefined {
    return this.current && this.now() - this.current.at;
  }

  get size(): number {
    return this.current?.keys.length ?? 0;
  }

  check(): Check {
    if (!this.current) {
      return { state: 'down', reason: 'the JWK set could not be loaded yet, or was dropped' };
    }
    if (!this.isUsable()) return { state: 'down', reason: 'the JWK set is too old to be used' };
    if (this.size === 0) return { state: 'down', reason: 'the JWK set holds no usable key' };
    return this.isFailing
      ? { state: 'degraded', reason: 'the JWK set cannot be refreshed; the last one stays in use' }
      : { state: 'up' };
  }

  private isUsable(): boolean {
    return this.ageMs !== undefined && this.ageMs <= REFRESH_MS + STALE_MS;
  }

  private async pick({ alg, kid }: KeyHint): Promise<readonly KeyObject[]> {
    if (!this.current || !this.isUsable()) return [];
    try {
      return [KeyObject.from(await this.current.choose({ alg, ...(kid !== undefined && { kid }) }))];
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return [await onlyOf(error)];
      if (error instanceof errors.JOSEError) return []; // no key fits
      throw error;
    }
  }

  /** Joins the fetch under way, or starts one if the pause since the last one is over. */
  private async refresh(): Promise<void> {
    if (!this.fetching && this.now() - this.attemptedAt < FETCH_PAUSE_MS) return;
    await (this.fetching ??= this.fetch());
  }

  private async fetch(): Promise<void> {
    this.attemptedAt = this.now();
    try {
      this.accept((await readKeySet(await this.endpoint.fetch())).map(({ jwk }) => jwk));
      this.isFailing = false;
    } catch (error) {
      this.isFailing = true;
      this.calls?.failed((error as Error).message);
      this.log.warn({ err: error }, 'the JWK set of end-user tokens cannot be fetched');
    } finally {
      this.fetching = undefined;
    }
  }

  private accept(keys: JWK[]): void {
    if (!isDeepStrictEqual(keys, this.current?.keys)) this.generation += 1;
    this.current = { at: this.now(), keys, choose: createLocalJWKSet({ keys }) };
    if (keys.length > 0) this.calls?.succeeded();
    else this.calls?.failed('answered with an empty JWK set');
  }
}

/** A set that was fetched. */
interface KnownSet {
  readonly at: number;
  readonly keys: readonly JWK[];
  /** The key that fits a header. */
  readonly choose: ReturnType<typeof createLocalJWKSet>;
}

/** The one key that fits although the set lists it several times. @throws TokenFault when they differ */
async function onlyOf(several: AsyncIterable<CryptoKey>): Promise<KeyObject> {
  const keys: KeyObject[] = [];
  for await (const key of several) keys.push(KeyObject.from(key));
  const [first] = keys;
  if (first && keys.every((key) => key.equals(first))) return first;
  throw new TokenFault('ambiguous_key');
}
