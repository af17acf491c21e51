import type { KeyObject } from 'node:crypto';
import { every, type Loop } from '../../concurrency/every.js';
import { BffError } from '../../errors/bff-error.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Check } from '../../telemetry/health.js';
import type { Log } from '../../telemetry/log.js';
import type { Algorithm } from '../../config/values/algorithms.js';
import { readKeySet, type SetKey } from './key-set.js';
import type { KeyHint, KeySource, ReloadableKeys } from './key-source.js';
import type { KeySetEndpoint } from './key-set-endpoint.js';
import { TokenFault } from '../token-fault.js';

/** Age at which the set is fetched again in the background. */
export const REFRESH_MS = 5 * 60_000;
/** How long after that the set stays in use while its endpoint is down. */
export const STALE_MS = 60 * 60_000;
/** Minimum time between two fetches, whatever tokens arrive and however the last fetch ended. */
export const FETCH_PAUSE_MS = 30_000;

const TICK_MS = 1_000;
/** Those accepted of a JWK set where `END_USER_ALGORITHMS` is empty. */
export const DEFAULT_ALGORITHMS: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * The keys of a JWK set (RFC 7517 section 5). The set is fetched at start and every five minutes, and at
 * most once in thirty seconds unless an operator asks; while its endpoint is down, the last set is used for an hour.
 */
export class JwksKeySource implements KeySource, ReloadableKeys {
  readonly setting = 'END_USER_JWKS_URL';
  generation = 0;
  private currentAt: number | undefined;
  readonly algorithms: readonly Algorithm[];
  private loop: Loop | undefined;
  private keys: readonly SetKey[] = [];
  private fingerprint = '';
  private attemptedAt = -Infinity;
  /** True if the latest fetch failed. */
  isFailing = false;
  private fetching: Promise<void> | undefined;

  /** @param algorithms `END_USER_ALGORITHMS`; RS256, PS256, ES256 and EdDSA when empty */
  constructor(
    private readonly endpoint: KeySetEndpoint,
    algorithms: readonly Algorithm[],
    private readonly log: Log,
    /** Milliseconds of a clock that is never set. */
    private readonly now: () => number = () => performance.now(),
    private readonly calls?: CallReports,
  ) {
    this.algorithms = algorithms.length > 0 ? algorithms : DEFAULT_ALGORITHMS;
  }

  onApplicationBootstrap(): void {
    const unexpected = (error: unknown): void =>
      this.log.error({ err: error }, 'the JWK set is not refreshed');
    this.loop = every(TICK_MS, () => this.refreshWhenDue(), unexpected);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.loop?.stop(), this.endpoint.close()]);
  }

  /**
   * At most one key: when several fit a token, guessing among them would hide a mistake of the issuer. One that is listed
   * twice is one.
   */
  find(hint: KeyHint): readonly KeyObject[] | Promise<readonly KeyObject[]> {
    if (!this.algorithms.includes(hint.alg)) throw new TokenFault('unknown_key');
    return this.pick(hint) ?? this.findAfterRefresh(hint);
  }

  /** Asks for the set again, under the pause: a forged token with a known id costs no more than one with an unknown id. */
  async findNewer(hint: KeyHint, found: readonly KeyObject[]): Promise<readonly KeyObject[]> {
    await this.refresh();
    return (this.pick(hint) ?? []).filter((key) => !found.some((known) => known.equals(key)));
  }

  /** Fetches the set when it is old, or when the last fetch failed and the pause since then is over. Never rejects. */
  async refreshWhenDue(): Promise<void> {
    const due = this.attemptedAt + (this.isFailing ? FETCH_PAUSE_MS : REFRESH_MS);
    if (this.now() >= due) await this.refresh();
  }

  /** Fetches the set now, without regard to the pause; concurrent calls share a fetch. @returns false if it failed */
  async reload(): Promise<boolean> {
    await this.fetching; // one already under way may miss the change
    this.fetching ??= this.startFetch();
    await this.fetching;
    return !this.isFailing;
  }

  /** Stops using the set immediately: no token is verified until the set can be fetched again. */
  drop(): void {
    this.keys = [];
    this.fingerprint = '';
    this.currentAt = undefined;
    this.generation += 1;
  }

  get ageMs(): number | undefined {
    return this.currentAt === undefined ? undefined : this.now() - this.currentAt;
  }

  /** Keys in use. */
  get size(): number {
    return this.keys.length;
  }

  check(): Check {
    if (this.currentAt === undefined) {
      return { state: 'down', reason: 'the JWK set could not be loaded yet, or was dropped' };
    }
    if (!this.isUsable()) return { state: 'down', reason: 'the JWK set is too old to be used' };
    if (this.keys.length === 0) return { state: 'down', reason: 'the JWK set holds no usable key' };
    return this.isFailing
      ? { state: 'degraded', reason: 'the JWK set cannot be refreshed; the last one stays in use' }
      : { state: 'up' };
  }

  private pick({ alg, kid }: KeyHint): readonly KeyObject[] | undefined {
    if (!this.isUsable()) return undefined;
    const fitting = this.keys.filter(
      (key) => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid),
    );
    const [first, ...others] = fitting;
    if (others.some(({ key }) => !key.equals(first!.key))) throw new TokenFault('ambiguous_key');
    return first && [first.key];
  }

  private async findAfterRefresh(hint: KeyHint): Promise<readonly KeyObject[]> {
    await this.refresh();
    const keys = this.pick(hint);
    if (keys) return keys;
    if (!this.isUsable()) {
      throw new BffError('unavailable', { message: 'there is no current JWK set' });
    }
    throw new TokenFault('unknown_key');
  }

  private isUsable(): boolean {
    return this.ageMs !== undefined && this.ageMs <= REFRESH_MS + STALE_MS;
  }

  /** Joins the fetch under way, or starts one if the pause since the last one is over. */
  private refresh(): Promise<void> {
    if (!this.fetching && this.now() - this.attemptedAt >= FETCH_PAUSE_MS) this.fetching = this.startFetch();
    return this.fetching ?? Promise.resolve();
  }

  private startFetch(): Promise<void> {
    this.attemptedAt = this.now();
    return this.fetchSet().finally(() => (this.fetching = undefined));
  }

  private async fetchSet(): Promise<void> {
    try {
      await this.accept(await this.endpoint.fetch());
      this.isFailing = false;
      if (this.keys.length > 0) this.calls?.succeeded();
      else this.calls?.failed('answered with an empty JWK set');
    } catch (error) {
      this.isFailing = true;
      this.calls?.failed((error as Error).message);
      this.log.warn({ err: error }, 'the JWK set of end-user tokens cannot be fetched');
    }
  }

  private async accept(set: unknown): Promise<void> {
    const fingerprint = JSON.stringify(set);
    if (fingerprint !== this.fingerprint) {
      this.keys = await readKeySet(set);
      this.fingerprint = fingerprint;
      this.generation += 1;
    }
    this.currentAt = this.now();
  }
}
