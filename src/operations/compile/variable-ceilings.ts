import { BffError } from '../../errors/bff-error.js';
import type { Ceiling } from './directives.js';
import { isObject } from '../../json/is-object.js';

/**
 * Checks the variables of a call against the ceilings of its operation. Zero, which some services read as "no limit",
 * is refused, and so are null and a number that was not written as a whole one, such as `5.0` or `1e1`.
 * @param given as `parseExact` reads them
 * @throws BffError `invalid_request`
 */
export function checkCeilings(ceilings: readonly Ceiling[], given: Readonly<Record<string, unknown>>): void {
  for (const ceiling of ceilings) {
    const { place, max } = ceiling;
    if (isWithin(given, place, ceiling)) continue;
    throw new BffError('invalid_request', {
      detail: `The variable "${place.join('.')}" must be a whole number from 1 to ${max}, or left out.`,
    });
  }
}

/** True if every value at the place, through lists, is a whole number below the ceiling; there may be none. */
function isWithin(value: unknown, place: readonly string[], ceiling: Ceiling): boolean {
  if (Array.isArray(value)) {
    return ceiling.allowsLists && value.every((item) => isWithin(item, place, ceiling));
  }
  const [key, ...below] = place;
  if (key === undefined) return isWhole(value) && value >= 1 && value <= ceiling.max;
  return !isObject(value) || !Object.hasOwn(value, key) || isWithin(value[key], below, ceiling);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
