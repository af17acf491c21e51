import { isRecord, parseJson, readContentType, type Incoming } from '../http/exchange.js';

/** A number from `min` to `max`, both included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** What a value of each type is, and what it is called in a refusal. */
const TYPES = {
  string: ['a string', (value: unknown) => typeof value === 'string'],
  number: ['a number', (value: unknown) => typeof value === 'number'],
  boolean: ['a boolean', (value: unknown) => typeof value === 'boolean'],
  object: ['an object', isRecord],
  strings: ['an array of strings', (value: unknown) => Array.isArray(value) && areTexts(value)],
  texts: [
    'an object whose members are strings',
    (value: unknown) => isRecord(value) && areTexts(Object.values(value)),
  ],
} as const;

/** The type of a member of a control request; `strings` is an array, `texts` an object of strings. */
export type MemberType = keyof typeof TYPES | NumberRange;

/** One control: a handler for each method, which returns the body of the answer. */
export type Control = { readonly [Method in 'GET' | 'POST' | 'DELETE']?: (incoming: Incoming) => object };

/** How many things a control makes at once, or how often something happens. */
export const COUNT: NumberRange = { min: 0, max: 10_000, isWhole: true };
/** A wait in milliseconds that Node's timers accept. */
export const WAIT_MS: NumberRange = { min: 0, max: 2 ** 31 - 1 };
/** A lifetime in seconds, up to about thirty years; a negative one has ended. */
export const LIFETIME_SECONDS: NumberRange = { min: -1e9, max: 1e9 };

/** An invalid request to a control route; the message is sent to the caller. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** The members of a JSON body, each of the type named; others are refused. */
export function readMembers(
  incoming: Incoming,
  members: Readonly<Record<string, MemberType>>,
): Record<string, unknown> {
  // A type that makes browsers send a preflight, so that a page of another origin cannot control the playground.
  if (readContentType(incoming.headers['content-type']).mediaType !== 'application/json') {
    throw new ControlError('Send application/json.');
  }
  const body = parseJson(incoming.body)?.value;
  if (!isRecord(body)) throw new ControlError('Send a JSON object.');
  for (const [name, value] of Object.entries(body)) {
    const type = Object.hasOwn(members, name) ? members[name] : undefined;
    if (type === undefined) {
      throw new ControlError(`${name} is not known; the members are ${Object.keys(members).join(', ')}.`);
    }
    if (!isOfType(value, type)) throw new ControlError(`${name} is not ${nameOf(type)}.`);
  }
  return body;
}

function nameOf(type: MemberType): string {
  if (typeof type === 'string') return TYPES[type][0];
  const number = type.isWhole === true ? 'whole number' : 'number';
  return `a ${number} from ${String(type.min)} to ${String(type.max)}`;
}

function isOfType(value: unknown, type: MemberType): boolean {
  if (typeof type === 'string') return TYPES[type][1](value);
  const { min, max, isWhole = false } = type;
  return typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
