import type { KeyObject } from 'node:crypto';
import { BffError } from '../errors/bff-error.js';
import type { Condition } from '../telemetry/health.js';
import type { Log } from '../telemetry/log.js';
import type { Algorithm } from '../config/algorithms.js';
import { readKeySet, type SetKey } from './key-set.js';
import type { KeyHint, KeySource } from './key-source.js';
import { openAgent, requestJson } from '../http/request-json.js';

/** Age at which the set is fetched again in the background. */
export const REFRESH_MS = 5 * 60_000;
/** How long after that the set still serves while its endpoint is down. */
export const STALE_MS = 60 * 60_000;
/** Least time between two fetches, whatever tokens ask for and however the last one ended. */
export const FETCH_PAUSE_MS = 30_000;

const TICK_MS = 1_000;
const FETCH_TIMEOUT_MS = 5_000;
const SET_BYTES_MAX = 64 * 1024;
const DEFAULT_ALGORITHMS: readonly Algorithm[] = ['RS256', 'PS256', 'ES256'];

/**
 * The keys of a JWK set (RFC 7517 section 5) behind a URL. The set is fetched at start and every five minutes, never
 * more than once in thirty seconds unless an operator asks; while its endpoint is down the last one serves for an hour.
 */
export class JwksKeySource implements KeySource {
  generation = 0;
  currentAt: number | undefined;
  readonly algorithms: readonly Algorithm[];
  private readonly agent = openAgent();
  private readonly ticker: NodeJS.Timeout;
  private keys: readonly SetKey[] = [];
  private fingerprint = '';
  private attemptedAt = -Infinity;
  private failing = false;
  private fetching: Promise<void> | undefined;

  /** @param algorithms `END_USER_ALGORITHMS`; RS256, PS256 and ES256 when empty */
  constructor(
    private readonly url: URL,
    algorithms: readonly Algorithm[],
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    this.algorithms = algorithms.length > 0 ? algorithms : DEFAULT_ALGORITHMS;
    this.ticker = setInterval(() => void this.refreshWhenDue(), TICK_MS).unref();
  }

  find(hint: KeyHint): KeyObject | Promise<KeyObject> {
    return this.pick(hint) ?? this.findAfterRefresh(hint);
  }

  /** Fetches the set when it is old, or when the last fetch failed, and the pause since that is over. Never rejects. */
  async refreshWhenDue(): Promise<void> {
    const due = this.attemptedAt + (this.failing ? FETCH_PAUSE_MS : REFRESH_MS);
    if (this.now() >= due) await this.refresh();
  }

  /** Fetches the set now, whatever the pause; parallel calls share a fetch. @returns false when the last set stays */
  async reload(): Promise<boolean> {
    await this.fetching; // one that began before may not see what has changed since
    this.fetching ??= this.startFetch();
    await this.fetching;
    return !this.failing;
  }

  /** Stops using the set at once: nothing verifies until it can be fetched again. */
  drop(): void {
    this.keys = [];
    this.fingerprint = '';
    this.currentAt = undefined;
    this.generation += 1;
  }

  /** Keys in use. */
  get size(): number {
    return this.keys.length;
  }

  condition(): Condition {
    if (this.currentAt === undefined) {
      return { state: 'down', reason: 'the JWK set could not be loaded yet, or was dropped' };
    }
    if (!this.isUsable()) return { state: 'down', reason: 'the JWK set is too old to be used' };
    if (this.keys.length === 0) return { state: 'down', reason: 'the JWK set holds no usable key' };
    return this.failing
      ? { state: 'degraded', reason: 'the JWK set cannot be refreshed; the last one serves' }
      : { state: 'up' };
  }

  async close(): Promise<void> {
    clearInterval(this.ticker);
    await this.agent.destroy();
  }

  private pick({ alg, kid }: KeyHint): KeyObject | undefined {
    if (!this.isUsable()) return undefined;
    const fitting = this.keys.filter(
      (key) => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid),
    );
    if (fitting.length > 1) throw new Error('several keys of the JWK set fit; the token does not say which');
    return fitting[0]?.key;
  }

  private async findAfterRefresh(hint: KeyHint): Promise<KeyObject> {
    await this.refresh();
    const key = this.pick(hint);
    if (key) return key;
    if (!this.isUsable()) throw new BffError('unavailable', { message: 'there is no current JWK set' });
    throw new Error('no key of the JWK set fits');
  }

  private isUsable(): boolean {
    return this.currentAt !== undefined && this.now() - this.currentAt <= REFRESH_MS + STALE_MS;
  }

  /** Joins the fetch under way, or starts one if the pause since the last is over. */
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
      const set = await requestJson(this.agent, this.url, {
        method: 'GET',
        timeoutMs: FETCH_TIMEOUT_MS,
        bodyBytesMax: SET_BYTES_MAX,
      });
      this.accept(set);
      this.failing = false;
    } catch (error) {
      this.failing = true;
      this.log.warn({ err: error }, 'the JWK set of end-user tokens cannot be fetched');
    }
  }

  private accept(set: unknown): void {
    const keys = readKeySet(set);
    const fingerprint = JSON.stringify(set);
    if (fingerprint !== this.fingerprint) this.generation += 1;
    this.fingerprint = fingerprint;
    this.keys = keys;
    this.currentAt = this.now();
  }
}
