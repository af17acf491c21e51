import type { KeyObject } from 'node:crypto';
import type { Algorithm } from '../../config/values/public-keys.js';
import { TokenFault } from '../token-fault.js';
import type { JwksKeys } from './jwks-keys.js';
import type { KeyHint, KeySource } from './key-source.js';

/** The keys of several issuers: a token gets those of the issuer that it names, and no others. */
export class IssuerKeys implements KeySource {
  readonly algorithms: readonly Algorithm[];
  private readonly all: readonly JwksKeys[];

  constructor(private readonly byIssuer: ReadonlyMap<string, JwksKeys>) {
    this.all = [...byIssuer.values()];
    this.algorithms = this.all[0]!.algorithms;
  }

  /** Tokens of every issuer are verified again when the keys of one change, which costs little and is rare. */
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
