import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Algorithm, PublicKey } from '../../config/values/public-keys.js';
import type { KeyHint, KeySource } from './key-source.js';

/** The keys of `END_USER_PUBLIC_KEY` or `END_USER_SECRET`: several during a rotation. They have no ids. */
export class StaticKeys implements KeySource {
  generation = 0;
  readonly fault = undefined;

  /** @param configured `END_USER_ALGORITHMS`; those of the keys when empty */
  constructor(
    private keys: readonly PublicKey[],
    private readonly configured: readonly Algorithm[] = [],
  ) {}

  get algorithms(): readonly Algorithm[] {
    if (this.configured.length > 0) return this.configured;
    return [...new Set(this.keys.flatMap(({ algorithms }) => algorithms))];
  }

  replace(keys: readonly PublicKey[]): void {
    this.keys = keys;
    this.generation += 1;
  }

  async *find({ alg }: KeyHint): AsyncGenerator<KeyObject> {
    for (const { key, algorithms } of this.keys) if (algorithms.includes(alg)) yield key;
  }
}

/** The keys of `END_USER_SECRET`, for the algorithms of `END_USER_ALGORITHMS`; HS256 when there are none. */
export function secretKeys(secrets: readonly string[], configured: readonly Algorithm[] = []): PublicKey[] {
  const algorithms = configured.length > 0 ? configured : (['HS256'] as const);
  return secrets.map((secret) => ({ key: createSecretKey(Buffer.from(secret)), algorithms }));
}
