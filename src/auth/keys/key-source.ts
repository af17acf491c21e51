import type { KeyObject } from 'node:crypto';
import type { Algorithm } from '../../config/values/public-keys.js';

/** What a token says of the key that signed it. It only selects among our own keys. */
export interface KeyHint {
  /** Among the `algorithms` of the source. */
  readonly alg: Algorithm;
  readonly kid: string | undefined;
  /** `iss` as the token has it; undefined where there is none. */
  readonly issuer?: string | undefined;
}

/** The port: where the keys that verify end-user tokens come from. */
export abstract class KeySource {
  /** The only algorithms a token may be signed with. */
  abstract readonly algorithms: readonly Algorithm[];
  /** Another value whenever a key that verified before may no longer do so: what was verified before it is void. */
  abstract readonly generation: unknown;

  /**
   * The keys that fit the hint: a token is good if any of them verifies it. Those that are fetched are looked for once
   * more when the caller asks for another key than those in hand.
   * @throws TokenFault `unknown_key`, `wrong_issuer`; BffError `unavailable` while no keys could be loaded at all
   */
  abstract find(hint: KeyHint): AsyncIterable<KeyObject>;
}
