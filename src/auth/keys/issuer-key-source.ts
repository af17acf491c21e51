import type { KeyObject } from 'node:crypto';
import type { Algorithm } from '../../config/values/algorithms.js';
import type { Check } from '../../telemetry/health.js';
import type { JwksKeySource } from './jwks-key-source.js';
import type { KeyHint, KeySource, ReloadableKeys } from './key-source.js';
import { TokenFault } from '../token-fault.js';

/**
 * The keys of several issuers: a token gets those of the issuer that it names, and no others. Whether it may name that
 * issuer is decided once its signature is verified.
 */
export class IssuerKeySource implements KeySource, ReloadableKeys {
  readonly setting = 'END_USER_ISSUER';
  readonly algorithms: readonly Algorithm[];

  /** @param sources by issuer, at least one, all with the same algorithms */
  constructor(private readonly sources: ReadonlyMap<string, JwksKeySource>) {
    this.algorithms = this.all()[0]!.algorithms;
  }

  /** Tokens of every issuer are verified again when the keys of one change, which costs little and is rare. */
  get generation(): number {
    return this.all().reduce((sum, { generation }) => sum + generation, 0);
  }

  /** Of the keys that are oldest. */
  get ageMs(): number | undefined {
    const ages = this.all().flatMap(({ ageMs }) => ageMs ?? []);
    return ages.length === 0 ? undefined : Math.max(...ages);
  }

  get size(): number {
    return this.all().reduce((sum, { size }) => sum + size, 0);
  }

  find(hint: KeyHint): readonly KeyObject[] | Promise<readonly KeyObject[]> {
    return this.sourceOf(hint).find(hint);
  }

  findNewer(hint: KeyHint, found: readonly KeyObject[]): Promise<readonly KeyObject[]> {
    return this.sourceOf(hint).findNewer(hint, found);
  }

  async reload(): Promise<boolean> {
    const fetched = await Promise.all(this.all().map((source) => source.reload()));
    return fetched.every(Boolean);
  }

  /** Of the issuers whose keys could not be fetched lately. */
  drop(): void {
    for (const source of this.all()) if (source.isFailing) source.drop();
  }

  onApplicationBootstrap(): void {
    for (const source of this.all()) source.onApplicationBootstrap();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all().map((source) => source.onApplicationShutdown()));
  }

  /** Down when no issuer's users can be verified; degraded while some cannot. */
  check(): Check {
    const checks = [...this.sources].map(([issuer, source]) => ({ issuer, ...source.check() }));
    const faults = checks.filter(({ state }) => state !== 'up');
    if (faults.length === 0) return { state: 'up' };
    const reason = faults.map(({ issuer, reason: why }) => `${issuer}: ${why}`).join('; ');
    return { state: checks.every(({ state }) => state === 'down') ? 'down' : 'degraded', reason };
  }

  private sourceOf({ issuer }: KeyHint): JwksKeySource {
    const source = issuer === undefined ? undefined : this.sources.get(issuer);
    if (!source) throw new TokenFault('wrong_issuer');
    return source;
  }

  private all(): readonly JwksKeySource[] {
    return [...this.sources.values()];
  }
}
