import { isObject } from '../json-object.js';

/**
 * Whether an answer's data proves, at a path of response keys through lists, that it belongs to the hirer. Each value
 * must be the hirer, and there must be at least one: a null or missing value on the way proves nothing, and neither
 * does an empty list. A root field that is null has nothing to prove.
 */
export function judgeOwnership(
  data: unknown,
  path: readonly string[],
  hirerId: string,
): 'owned' | 'nothing' | 'refused' {
  if (data === null || data === undefined) return 'nothing';
  const root = isObject(data) && Object.hasOwn(data, path[0]!) ? data[path[0]!] : undefined;
  if (root === null) return 'nothing';
  return isOwned(root, path.slice(1), hirerId) ? 'owned' : 'refused';
}

function isOwned(value: unknown, path: readonly string[], hirerId: string): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isOwned(item, path, hirerId));
  const [key, ...rest] = path;
  if (key === undefined) return value === hirerId;
  return isObject(value) && Object.hasOwn(value, key) && isOwned(value[key], rest, hirerId);
}
