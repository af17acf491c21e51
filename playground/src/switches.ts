import type { ValueOf } from './http/body-schemas.js';

/**
 * Choices that the interface leaves open, as JSON Schema has them: numbers up to thirty years in seconds, eleven days in
 * milliseconds. Each can be changed at start and, by the control route, while the playground runs.
 */
export const SWITCH_MEMBERS = {
  /** Lifetime of partner tokens in seconds. */
  partnerTokenSeconds: { type: 'number', minimum: 0, maximum: 1e9, default: 1_800 },
  /** Lifetime of browser tokens in seconds. */
  browserTokenSeconds: { type: 'number', minimum: 0, maximum: 1e9, default: 3_600 },
  /** Accept arrays at `/graphql` (interface.md 4.4); otherwise they are refused. */
  batching: { type: 'boolean', default: true },
  /** The consequence of breaking a rule of interface.md 4.3: a note in the call log, or `BAD_USER_INPUT`. */
  operationRules: { enum: ['note', 'refuse'], default: 'note' },
  /** The answer of a single-object query to an unknown id: null alone, or null with an error of this code. */
  unknownId: { enum: ['null', 'BAD_USER_INPUT', 'NOT_FOUND'], default: 'null' },
  /** Mutations change the data; otherwise they check their input and then fail with `FORBIDDEN`. */
  mutations: { enum: ['read-only', 'stateful'], default: 'read-only' },
  /** Time between the request to post an ad and its event, in milliseconds. */
  postingDelayMs: { type: 'number', minimum: 0, maximum: 1e9, default: 2_000 },
} as const;

/** What was chosen. */
export type Switches = {
  -readonly [Name in keyof typeof SWITCH_MEMBERS]: ValueOf<(typeof SWITCH_MEMBERS)[Name]>;
};

/** The switches of a playground that was started without any. */
export const DEFAULT_SWITCHES = Object.fromEntries(
  Object.entries(SWITCH_MEMBERS).map(([name, { default: value }]) => [name, value]),
) as Readonly<Switches>;
