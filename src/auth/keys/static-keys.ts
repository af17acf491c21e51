import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SecretValues } from '../../config/secrets.js';
import type { Algorithm, PublicKey } from '../../config/values/public-keys.js';
import type { KeyHint, KeySource } from './key-source.js';

/** The settings that hold keys. */
export type EndUserKeys = Pick<SecretValues, 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET'>;

/** The keys of `END_USER_PUBLIC_KEY` or `END_USER_SECRET`: several during a rotation. They have no ids. */
export class StaticKeys implements KeySource {
  /** @param configured `END_USER_ALGORITHMS`; those of the keys when empty */
  constructor(
    private readonly secrets: { readonly current: EndUserKeys },
    private readonly configured: readonly Algorithm[] = [],
  ) {}

  /** The values themselves: a rotation makes new ones. */
  get generation(): unknown {
    return this.secrets.current;
  }

  get algorithms(): readonly Algorithm[] {
    if (this.configured.length > 0) return this.configured;
    return [...new Set(this.keys.flatMap(({ algorithms }) => algorithms))];
  }

  async *find({ alg }: KeyHint): AsyncGenerator<KeyObject> {
    for (const { key, algorithms } of this.keys) if (algorithms.includes(alg)) yield key;
  }

  private get keys(): readonly PublicKey[] {
    const { END_USER_SECRET: secrets, END_USER_PUBLIC_KEY: keys } = this.secrets.current;
    const algorithms = this.configured.length > 0 ? this.configured : (['HS256'] as const);
    return [...keys, ...secrets.map((text) => ({ key: createSecretKey(Buffer.from(text)), algorithms }))];
  }
}
