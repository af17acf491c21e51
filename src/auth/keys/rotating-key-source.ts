import type { KeyObject } from 'node:crypto';
import type { Check } from '../../telemetry/health.js';
import type { Algorithm } from '../../config/values/algorithms.js';
import type { FixedKeySource } from './fixed-key-source.js';
import type { KeyHint, KeySource } from './key-source.js';

/** The keys of a setting that can take a new value while the service runs. */
export class RotatingKeySource implements KeySource {
  generation = 0;
  readonly ageMs = undefined;

  constructor(private keys: FixedKeySource) {}

  get algorithms(): readonly Algorithm[] {
    return this.keys.algorithms;
  }

  /** Replaces the keys; whatever the previous ones verified is void from now on. */
  rotate(keys: FixedKeySource): void {
    this.keys = keys;
    this.generation += 1;
  }

  find(hint: KeyHint): readonly KeyObject[] {
    return this.keys.find(hint);
  }

  check(): Check {
    return { state: 'up' };
  }
}
