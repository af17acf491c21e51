import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Algorithm } from '../../config/values/algorithms.js';
import type { PublicKey } from '../../config/values/public-keys.js';
import type { Check } from '../../telemetry/health.js';
import type { KeyHint, KeySource } from './key-source.js';
import { TokenFault } from '../token-fault.js';

/** The keys in one value of a setting: one, or several during a rotation. */
export class FixedKeySource implements KeySource {
  readonly generation = 0;
  readonly ageMs = undefined;

  private constructor(
    private readonly keys: readonly PublicKey[],
    readonly algorithms: readonly Algorithm[],
  ) {}

  /**
   * The keys of `END_USER_SECRET`: one, or during a rotation the previous one too.
   * @param algorithms `END_USER_ALGORITHMS`; HS256 when empty
   */
  static secrets(secrets: readonly string[], algorithms: readonly Algorithm[]): FixedKeySource {
    const accepted = algorithms.length > 0 ? algorithms : (['HS256'] as const);
    const keys = secrets.map((secret) => ({
      key: createSecretKey(Buffer.from(secret)),
      algorithms: accepted,
    }));
    return new FixedKeySource(keys, accepted);
  }

  /**
   * The keys of `END_USER_PUBLIC_KEY`.
   * @param algorithms `END_USER_ALGORITHMS`; those of the keys when empty
   */
  static publicKeys(keys: readonly PublicKey[], algorithms: readonly Algorithm[]): FixedKeySource {
    const possible = [...new Set(keys.flatMap((key) => key.algorithms))];
    return new FixedKeySource(keys, algorithms.length > 0 ? algorithms : possible);
  }

  /** Every key that can verify the algorithm, in the order given; these keys have no ids. */
  find({ alg }: KeyHint): readonly KeyObject[] {
    if (!this.algorithms.includes(alg)) throw new TokenFault('unknown_key');
    return this.keys.filter(({ algorithms }) => algorithms.includes(alg)).map(({ key }) => key);
  }

  check(): Check {
    return { state: 'up' };
  }
}
