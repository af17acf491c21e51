import { isRecord, parseJson, readContentType, type Incoming } from '../http/exchange.js';

/** A number from `min` to `max`, both included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** The type of a member of a control request; `strings` is an array, `texts` an object of strings. */
export type MemberType = 'string' | 'number' | 'boolean' | 'object' | 'strings' | 'texts' | NumberRange;

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
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return `a ${type}`;
    case 'object':
      return 'an object';
    case 'strings':
      return 'an array of strings';
    case 'texts':
      return 'an object whose members are strings';
    default: {
      const number = type.isWhole === true ? 'whole number' : 'number';
      return `a ${number} from ${String(type.min)} to ${String(type.max)}`;
    }
  }
}

function isOfType(value: unknown, type: MemberType): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'object':
      return isRecord(value);
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'texts':
      return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
    default:
      return isWithin(value, type);
  }
}

function isWithin(value: unknown, { min, max, isWhole = false }: NumberRange): boolean {
  return typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
}
