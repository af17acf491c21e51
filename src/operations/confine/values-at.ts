import { isObject } from '../../json/is-object.js';

/** Keys that lead to a value of an answer, or of the variables, through lists. */
export type Place = readonly string[];

/**
 * The values at a place, through lists at any depth. A null or missing value on the way or at the end is left out. Where
 * a text, a number or a boolean stands on the way, the value is undefined: there is something, but not what was expected.
 * Each value is visited once, however deep the lists around it are nested.
 */
export function valuesAt(value: unknown, place: Place): readonly unknown[] {
  const values: unknown[] = [];
  collect(value, place, 0, values);
  return values;
}

function collect(value: unknown, place: Place, step: number, values: unknown[]): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, place, step, values);
    return;
  }
  const key = place[step];
  if (key === undefined) values.push(value);
  else if (!isObject(value)) values.push(undefined);
  else if (Object.hasOwn(value, key)) collect(value[key], place, step + 1, values);
}
