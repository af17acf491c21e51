/**
 * Choices that the interface leaves open. Each can be changed at start and, by the control route, while the playground
 * runs. docs/playground.md lists them.
 */
export interface Switches {
  /** Lifetime of partner tokens in seconds. */
  partnerTokenSeconds: number;
  /** Lifetime of browser tokens in seconds. */
  browserTokenSeconds: number;
  /** Put `extensions.requestLatency` into answers. */
  requestLatency: boolean;
  /** Accept arrays at `/graphql` (interface.md 4.4); otherwise they are refused. */
  batching: boolean;
  /** Largest array accepted. */
  batchMax: number;
  /** The consequence of breaking a rule of interface.md 4.3: a note in the call log, or `BAD_USER_INPUT`. */
  operationRules: 'note' | 'refuse';
  /** The answer of a single-object query to an unknown id: null alone, or null with an error of this code. */
  unknownId: 'null' | 'BAD_USER_INPUT' | 'NOT_FOUND';
  /** Media type of GraphQL answers. */
  graphqlMediaType: 'application/json' | 'application/graphql-response+json';
  /** Status of a GraphQL answer in which a field met its rate limit. */
  rateLimitedStatus: number;
  /** Send `Retry-After` with answers that met a rate limit. */
  retryAfter: boolean;
  /** Largest body accepted at `/graphql`, in bytes. */
  bodyBytesMax: number;
  /** Deepest selection accepted; 0 for any depth. */
  depthMax: number;
  /** Mutations change the data; otherwise they check their input and then fail with `FORBIDDEN`. */
  mutations: 'read-only' | 'stateful';
  /** How long events can be read, in days. */
  eventRetentionDays: number;
  /** Time between the request to post an ad and its event, in milliseconds. */
  postingDelayMs: number;
  /** Time until a changed webhook subscription is delivered as configured, in milliseconds; up to 30 minutes upstream. */
  webhookChangeDelayMs: number;
  /** Say which language was chosen in `Content-Language`. */
  contentLanguage: boolean;
}

/** The switches of a playground that was started without any. */
export const DEFAULT_SWITCHES: Readonly<Switches> = {
  partnerTokenSeconds: 1_800,
  browserTokenSeconds: 3_600,
  requestLatency: true,
  batching: true,
  batchMax: 100,
  operationRules: 'note',
  unknownId: 'null',
  graphqlMediaType: 'application/json',
  rateLimitedStatus: 200,
  retryAfter: true,
  bodyBytesMax: 1_048_576,
  depthMax: 0,
  mutations: 'read-only',
  eventRetentionDays: 90,
  postingDelayMs: 2_000,
  webhookChangeDelayMs: 5_000,
  contentLanguage: true,
};

/** The values of the switches that are one of a few words. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  operationRules: ['note', 'refuse'],
  unknownId: ['null', 'BAD_USER_INPUT', 'NOT_FOUND'],
  graphqlMediaType: ['application/json', 'application/graphql-response+json'],
  mutations: ['read-only', 'stateful'],
};

/** Thirty years in seconds, eleven days in milliseconds, a gigabyte. */
const NUMBER_MAX = 1e9;
const BOUNDS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  rateLimitedStatus: [200, 599],
};

/** A sentence that says what is wrong with the value of a switch; undefined if it is valid. */
export function faultOfSwitch(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') {
    const [min, max] = BOUNDS[name] ?? [0, NUMBER_MAX];
    return value >= min && value <= max ? undefined : `${name} is from ${String(min)} to ${String(max)}.`;
  }
  const choices = CHOICES[name];
  if (choices === undefined || (typeof value === 'string' && choices.includes(value))) return undefined;
  return `${name} is one of ${choices.join(', ')}.`;
}
