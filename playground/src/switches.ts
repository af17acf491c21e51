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

/** The values of the switches that are one of a few words. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  operationRules: ['note', 'refuse'],
  unknownId: ['null', 'BAD_USER_INPUT', 'NOT_FOUND'],
  mutations: ['read-only', 'stateful'],
};

/** Thirty years in seconds, eleven days in milliseconds, a gigabyte. */
const NUMBER_MAX = 1e9;

/** A sentence that says what is wrong with the value of a switch; undefined if it is valid. */
export function faultOfSwitch(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') {
    return value >= 0 && value <= NUMBER_MAX ? undefined : `${name} is from 0 to ${String(NUMBER_MAX)}.`;
  }
  const choices = CHOICES[name];
  if (choices === undefined || (typeof value === 'string' && choices.includes(value))) return undefined;
  return `${name} is one of ${choices.join(', ')}.`;
}
