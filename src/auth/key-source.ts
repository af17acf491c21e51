import type { KeyObject } from 'node:crypto';
import type { Condition } from '../telemetry/health.js';
import type { Algorithm } from '../config/algorithms.js';

/** The part of a token's header that names the key that signed it. It only selects among our own keys. */
export interface KeyHint {
  readonly alg: Algorithm;
  readonly kid: string | undefined;
}

/** The port: where the keys that verify end-user tokens come from. */
export abstract class KeySource {
  /** The only algorithms a token may be signed with. */
  abstract readonly algorithms: readonly Algorithm[];
  /** Changes whenever a key that verified before may no longer do so: what an earlier generation verified is void. */
  abstract readonly generation: number;
  /** Epoch milliseconds of the last time the keys were known to be current; undefined for keys that do not age. */
  abstract readonly currentAt: number | undefined;

  /**
   * The keys that fit the hint: during a rotation there can be several, and a token is good if any of them verifies it.
   * Returned without a promise when they are in memory.
   * @throws TokenFault `unknown_key` when there is none, `ambiguous_key` when a choice would be a guess; BffError
   *   `unavailable` while no keys could be loaded at all
   */
  abstract find(hint: KeyHint): readonly KeyObject[] | Promise<readonly KeyObject[]>;

  /** For the health check. */
  abstract condition(): Condition;
}
