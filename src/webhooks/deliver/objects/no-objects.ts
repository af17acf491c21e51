import type { ObjectSource } from './object-stage.js';

/** For a sink that wants events without their objects. */
export const NO_OBJECTS: ObjectSource = {
  types: [],
  heldSince: 0,
  has: () => false,
  held: () => ({ all: false, hirers: [] }),
  isRecovery: () => false,
  recovered: () => undefined,
  late: () => ({ kind: 'settled', object: undefined, errors: [] }),
  fetch: async () => ({ kind: 'settled', object: undefined, errors: [] }),
};
