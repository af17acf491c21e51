/**
 * Choices that the interface leaves open. Each can be changed at start and, by the control route, while the playground
 * runs. docs/playground.md lists them.
 */
export interface Switches {
  /** Lifetime of partner tokens in seconds. */
  partnerTokenSeconds: number;
  /** Lifetime of browser tokens in seconds. */
  browserTokenSeconds: number;
  /** Accept arrays at `/graphql` (interface.md 4.4); otherwise they are refused. */
  batching: boolean;
  /** The consequence of breaking a rule of interface.md 4.3: a note in the call log, or `BAD_USER_INPUT`. */
  operationRules: 'note' | 'refuse';
  /** The answer of a single-object query to an unknown id: null alone, or null with an error of this code. */
  unknownId: 'null' | 'BAD_USER_INPUT' | 'NOT_FOUND';
  /** Mutations change the data; otherwise they check their input and then fail with `FORBIDDEN`. */
  mutations: 'read-only' | 'stateful';
  /** Time between the request to post an ad and its event, in milliseconds. */
  postingDelayMs: number;
}

/** The switches of a playground that was started without any. */
export const DEFAULT_SWITCHES: Readonly<Switches> = {
  partnerTokenSeconds: 1_800,
  browserTokenSeconds: 3_600,
  batching: true,
  operationRules: 'note',
  unknownId: 'null',
  mutations: 'read-only',
  postingDelayMs: 2_000,
};

/** The switches as JSON Schema has them: numbers up to thirty years in seconds, eleven days in milliseconds. */
export const SWITCH_MEMBERS: Readonly<Record<keyof Switches, object>> = {
  partnerTokenSeconds: { type: 'number', minimum: 0, maximum: 1e9 },
  browserTokenSeconds: { type: 'number', minimum: 0, maximum: 1e9 },
  batching: { type: 'boolean' },
  operationRules: { enum: ['note', 'refuse'] },
  unknownId: { enum: ['null', 'BAD_USER_INPUT', 'NOT_FOUND'] },
  mutations: { enum: ['read-only', 'stateful'] },
  postingDelayMs: { type: 'number', minimum: 0, maximum: 1e9 },
};
