import type { KeyObject } from 'node:crypto';
import type { Condition } from '../telemetry/health.js';
import type { Algorithm } from '../config/algorithms.js';

/** What a token's header says about the key that signed it. Believed only as far as it picks among our own keys. */
export interface KeyHint {
  readonly alg: Algorithm;
  readonly kid: string | undefined;
}

/** The port: where the keys come from that verify end-user tokens. */
export interface KeySource {
  /** The only algorithms a token may be signed with. */
  readonly algorithms: readonly Algorithm[];
  /** Changes whenever a key that verified before may no longer: what was verified under another one is void. */
  readonly generation: number;
  /**
   * The key that fits the hint; during a rotation several may, and any of them that verifies will do.
   * @throws Error when there is none; BffError `unavailable` while no keys could be had at all
   */
  find(hint: KeyHint): KeyObject | readonly KeyObject[] | Promise<KeyObject>;
  /** For the health check. */
  condition(): Condition;
  /** Epoch milliseconds of the moment the keys were last known to be current; undefined while there are none. */
  readonly currentAt: number | undefined;
  close(): Promise<void>;
}

/** Injection token of the {@link KeySource} that the `END_USER_…` settings chose. */
export const KeySource = Symbol('KeySource');
