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

/** The verdict on the owner of an answer's data; `nothing` when the answer has none. */
export type Verdict = 'owned' | 'nothing' | 'refused';

/**
 * Judges whether an answer's data proves, at a path of response keys through lists, that it belongs to the hirer. Each
 * value must be the hirer, and there must be at least one: a null or missing value on the way proves nothing, and
 * neither does an empty list. A root field that is null has nothing to prove.
 */
export function judgeOwnership(data: unknown, path: Place, hirerId: string): Verdict {
  if (data === null || data === undefined) return 'nothing';
  const root = memberOf(data, path[0]!);
  if (root === null) return 'nothing';
  return isOwned(root, path, 1, hirerId) ? 'owned' : 'refused';
}

/**
 * Judges whether an answer's data belongs to the hirer by any of several paths that begin with the same field. Unlike
 * at a single path, a null, a missing member or an empty list is silent; but no value at any path may be another hirer,
 * or anything but a text. Whatever an object contains belongs to the same hirer, so one value proves all of it. Of a list
 * at the root, each object must be proven by itself: one says nothing of another.
 * @param witness the hirer that a source other than the answer names, for a single object whose every path is silent;
 *   undefined when it names none
 */
export function judgeAnyOwnership(
  data: unknown,
  paths: readonly Place[],
  hirerId: string,
  witness: string | undefined,
): Verdict {
  if (data === null || data === undefined) return 'nothing';
  const root = memberOf(data, paths[0]![0]!);
  if (root === null) return 'nothing';
  const below = paths.map((path) => path.slice(1));
  return isOwnedByAny(root, below, hirerId, witness) ? 'owned' : 'refused';
}

function isOwnedByAny(
  value: unknown,
  paths: readonly Place[],
  hirerId: string,
  witness: string | undefined,
): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isOwnedByAny(item, paths, hirerId, undefined));
  }
  const values = paths.flatMap((path) => valuesAt(value, path));
  if (values.length === 0) return isObject(value) && witness === hirerId;
  return values.every((found) => found === hirerId);
}

/** @param step the first key of the path that leads on from the value */
function isOwned(value: unknown, path: Place, step: number, hirerId: string): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isOwned(item, path, step, hirerId));
  }
  const key = path[step];
  if (key === undefined) return value === hirerId;
  return isObject(value) && Object.hasOwn(value, key) && isOwned(value[key], path, step + 1, hirerId);
}

function memberOf(data: unknown, key: string): unknown {
  return isObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
}

/**
 * Port: which hirer a change event of the upstream belongs to, by what its signature vouches for. Not every type of
 * event names its hirer in the upstream's schema, but each signed webhook does.
 */
export abstract class EventOwners {
  /**
   * The hirer of the event with that id; undefined when no signed copy of it is known, or the copy names no hirer.
   * @throws StoreError while that cannot be found out
   */
  abstract hirerOf(eventId: string): Promise<string | undefined>;
}
