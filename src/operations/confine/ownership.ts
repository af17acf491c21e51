import { isObject } from '../../json/is-object.js';
import type { Place } from './hirer-binding.js';
import { valuesAt } from './values-at.js';

/** The verdict on the owner of an answer's data; `nothing` when there is no object. */
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
  return isOwned(root, path.slice(1), hirerId) ? 'owned' : 'refused';
}

/**
 * Judges whether an answer's data belongs to the hirer by any of several paths that begin with the same field. Unlike
 * at a single path, a null, a missing member or an empty list is silent; but no value at any path may be another hirer,
 * or anything but a text. Where every path is silent, only a witness decides.
 * @param witness the hirer that a source other than the answer names; undefined when it names none
 */
export function judgeAnyOwnership(
  data: unknown,
  paths: readonly Place[],
  hirerId: string,
  witness: string | undefined,
): Verdict {
  if (data === null || data === undefined) return 'nothing';
  if (memberOf(data, paths[0]![0]!) === null) return 'nothing';
  const values = paths.flatMap((path) => valuesAt(data, path));
  if (values.length === 0) return witness === hirerId ? 'owned' : 'refused';
  return values.every((value) => value === hirerId) ? 'owned' : 'refused';
}

function isOwned(value: unknown, path: Place, hirerId: string): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isOwned(item, path, hirerId));
  const [key, ...rest] = path;
  if (key === undefined) return value === hirerId;
  return isObject(value) && Object.hasOwn(value, key) && isOwned(value[key], rest, hirerId);
}

function memberOf(data: unknown, key: string): unknown {
  return isObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
}
