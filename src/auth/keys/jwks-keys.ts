import { KeyObject } from 'node:crypto';
import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet } from 'jose';
import { every, type Loop } from '../../concurrency/every.js';
import { algorithmsOf, type Algorithm } from '../../config/values/public-keys.js';
import { BffError } from '../../errors/bff-error.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Log } from '../../telemetry/log.js';
import { TokenFault } from '../token-fault.js';
import type { KeyHint, KeySource } from './key-source.js';

/** Age at which the set is fetched again in the background. */
export const REFRESH_MS = 5 * 60_000;
/** How long after that the set stays in use while its endpoint is down. */
const STALE_MS = 60 * 60_000;
/** Minimum time between two fetches, whatever tokens arrive and however the last fetch ended. */
export const FETCH_PAUSE_MS = 30_000;
/** While there is no set, and nobody can be verified. */
const FIRST_PAUSE_MS = 2_000;
const TICK_MS = 1_000;
/** Algorithms accepted in a JWK set if `END_USER_ALGORITHMS` is empty. */
export const DEFAULT_ALGORITHMS: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * The keys of a JWK set (RFC 7517 section 5), chosen by jose. The set is fetched at start, every five minutes, and for
 * a token that no key verifies, at most once in thirty seconds, or in two while there is none; while its endpoint is
 * down, the last one is used for an hour.
 */
export class JwksKeys implements KeySource {
  readonly algorithms: readonly Algorithm[];
  generation = 0;
  private set: ReturnType<typeof createLocalJWKSet> | undefined;
  private attemptedAt = -Infinity;
  /** When the set was asked for; before {@link attemptedAt} once a fetch has failed. */
  private fetchedAt = -Infinity;
  private fetching: Promise<void> | undefined;
  private loop: Loop | undefined;

  /** @param fetchSet the set, parsed and not judged; its errors hold nothing of an answer */
  constructor(
    private readonly fetchSet: () => Promise<unknown>,
    algorithms: readonly Algorithm[],
    private readonly log: Log,
    private readonly now: () => number = () => performance.now(),
    private readonly calls?: CallReports,
  ) {
    this.algorithms = algorithms.length > 0 ? algorithms : DEFAULT_ALGORITHMS;
  }

  /** Fetches the set, and keeps it current from then on. It does not fail, see {@link fetch}. */
  async start(): Promise<void> {
    await this.fetch();
    const refresh = (): Promise<void> => this.refreshWhenDue();
    this.loop = every(TICK_MS, refresh, () => undefined);
  }

  /** Does not wait for a fetch under way, which ends by its own timeout. */
  onApplicationShutdown(): void {
    void this.loop?.stop();
  }

  /**
   * An issuer may replace a key under its id: when no key is the right one, the set is asked for again. A forged token
   * costs no more by a known id than by an unknown one: the pause holds for both.
   */
  async *find(hint: KeyHint): AsyncGenerator<KeyObject> {
    const known = await this.pick(hint);
    yield* known;
    if (this.fetching || this.now() - this.attemptedAt >= this.pauseMs) await this.fetch();
    const newer = (await this.pick(hint)).filter((key) => !known.some((one) => one.equals(key)));
    yield* newer;
    if (known.length + newer.length > 0) return;
    if (this.usable) throw new TokenFault('unknown_key');
    throw new BffError('unavailable', { message: 'there is no current JWK set' });
  }

  async refreshWhenDue(): Promise<void> {
    const waitMs = this.fetchedAt === this.attemptedAt ? REFRESH_MS : this.pauseMs;
    if (this.now() >= this.attemptedAt + waitMs) await this.fetch();
  }

  /** Fetches the set now; concurrent calls share a fetch. If it fails, which is logged, the last set stays in use. */
  fetch(): Promise<void> {
    this.fetching ??= this.load().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private get pauseMs(): number {
    return this.usable ? FETCH_PAUSE_MS : FIRST_PAUSE_MS;
  }

  private get usable() {
    return this.now() - this.fetchedAt <= REFRESH_MS + STALE_MS ? this.set : undefined;
  }

  private async pick({ alg, kid }: KeyHint): Promise<readonly KeyObject[]> {
    const fitting: CryptoKey[] = [];
    try {
      const key = await this.usable?.({ alg, ...(kid !== undefined && { kid }) });
      if (key) fitting.push(key);
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) for await (const key of error) fitting.push(key);
    }
    return fitting.map((key) => KeyObject.from(key)).filter((key) => algorithmsOf(key).includes(alg));
  }

  private async load(): Promise<void> {
    this.attemptedAt = this.now();
    try {
      const set = createLocalJWKSet((await this.fetchSet()) as JSONWebKeySet);
      if (set.jwks().keys.length === 0) throw new Error('answered with an empty JWK set');
      [this.set, this.fetchedAt] = [set, this.attemptedAt];
      this.generation += 1;
      this.calls?.succeeded();
    } catch (error) {
      this.calls?.failed((error as Error).message);
      this.log.warn({ err: error }, 'the JWK set of end-user tokens cannot be fetched');
    }
  }
}

/** The keys of several issuers: a token gets those of the issuer that it names, and no others. */
export class IssuerKeys implements KeySource {
  readonly algorithms: readonly Algorithm[];
  private readonly all: readonly JwksKeys[];

  constructor(private readonly byIssuer: ReadonlyMap<string, JwksKeys>) {
    this.all = [...byIssuer.values()];
    this.algorithms = this.all[0]!.algorithms;
  }

  /** Tokens of every issuer are verified again when the set of one has been fetched, which costs little. */
  get generation(): number {
    return this.all.reduce((sum, { generation }) => sum + generation, 0);
  }

  async *find(hint: KeyHint): AsyncGenerator<KeyObject> {
    const keys = hint.issuer === undefined ? undefined : this.byIssuer.get(hint.issuer);
    if (!keys) throw new TokenFault('wrong_issuer');
    yield* keys.find(hint);
  }

  onApplicationShutdown(): void {
    for (const keys of this.all) keys.onApplicationShutdown();
  }
}
