import { BffError } from '../../errors/bff-error.js';
import { isObject } from '../../json/is-object.js';
import type { HirerBinding } from '../compile/directives.js';
import { valuesAt, type Place } from '../confine/values-at.js';

/** A binding to a query that must prove ownership before the operation is sent. */
export type QueryBinding = Extract<HirerBinding, { kind: 'query' }>;

/** Most objects that a call may name at the places of one optional query: each costs a call to the upstream. */
const OBJECTS_MAX = 10;

/**
 * The variables of each run of a guard for a call; none where an optional guard's place is empty.
 * @throws BffError `invalid_request` for a value that is not a text, and for too many objects
 */
export function guardVariables(
  { variables: places, optional }: QueryBinding,
  given: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, string>>[] {
  if (!optional) {
    const values = [...places].map(([name, place]) => [name, textAt(given, place)] as const);
    return [Object.fromEntries(values)];
  }
  const [name, place] = [...places][0]!;
  const values = new Set(valuesAt(given, place).map((value) => checkText(value, place)));
  if (values.size > OBJECTS_MAX) {
    const detail = `The variable "${place.join('.')}" may name at most ${OBJECTS_MAX} objects.`;
    throw new BffError('invalid_request', { detail });
  }
  return [...values].map((value) => ({ [name]: value }));
}

function textAt(given: Readonly<Record<string, unknown>>, place: Place): string {
  const value = place.reduce<unknown>(
    (from, key) => (isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined),
    given,
  );
  return checkText(value, place);
}

function checkText(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  throw new BffError('invalid_request', { detail: `The variable "${place.join('.')}" must be a text.` });
}
