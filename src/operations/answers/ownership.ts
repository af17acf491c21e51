import { isObject } from '../../json/parse-json.js';

/** Keys that lead to a value of an answer, or of the variables, through lists. */
export type Place = readonly string[];

/**
 * The values at a place, through lists at any depth. A null or missing value is left out. Where a text, a number or a
 * boolean stands on the way, the value is undefined: there is something, but not what was expected.
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

/** The verdict on the owner of an answer's data; `nothing` when the answer has none. */
export type Verdict = 'owned' | 'nothing' | 'refused';

/**
 * Judges whether an answer's data proves, at paths that begin with the same field, that it is of the hirer. No value
 * there may be another hirer, or anything but a text; and there must be one in each object of a list at the root, since
 * one object says nothing of another. A root field that is null has nothing to prove.
 * @param isEach every object on the way to the one path must have a value: null, a missing member or an empty list refuses
 */
export function judgeOwnership(
  data: unknown,
  paths: readonly Place[],
  hirerId: string,
  isEach: boolean,
): Verdict {
  if (data === null || data === undefined) return 'nothing';
  const [first] = paths[0]!;
  const root = isObject(data) && Object.hasOwn(data, first!) ? data[first!] : undefined;
  if (root === null) return 'nothing';
  const below = paths.map((path) => path.slice(1));
  return (isEach ? isEachOwned(root, below[0]!, hirerId) : isOwned(root, below, hirerId))
    ? 'owned'
    : 'refused';
}

function isOwned(value: unknown, paths: readonly Place[], hirerId: string): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isOwned(item, paths, hirerId));
  const values = paths.flatMap((path) => valuesAt(value, path));
  return values.length > 0 && values.every((found) => found === hirerId);
}

function isEachOwned(value: unknown, place: Place, hirerId: string): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isEachOwned(item, place, hirerId));
  }
  const [key, ...below] = place;
  if (key === undefined) return value === hirerId;
  return isObject(value) && Object.hasOwn(value, key) && isEachOwned(value[key], below, hirerId);
}
