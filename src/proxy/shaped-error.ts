import { isObject } from './operation-request.js';

const MASKED_MESSAGE = 'A part of the object could not be read.';
const CODE = /^[\w-]{1,64}$/;

/** One of the upstream's `errors` as the caller sees it: message, locations, path and code. */
export function shapeError(error: unknown): Record<string, unknown> {
  if (!isObject(error)) return { message: MASKED_MESSAGE };
  const { message, locations, path, extensions } = error;
  return {
    message: typeof message === 'string' ? message : MASKED_MESSAGE,
    locations,
    path,
    extensions: pick(extensions, ['code']),
  };
}

/**
 * One of the `errors` of an answer that must prove whose data it is. The error speaks of what was proven when its path
 * begins with a root field that is there; any other may quote an object of somebody else, so that only its code, a
 * word, and its root field are shown.
 * @param data what the caller will see, all of it proven
 * @param rootKeys response keys of the operation's root fields
 */
export function shapeUnprovenError(
  error: unknown,
  data: unknown,
  rootKeys: readonly string[],
): Record<string, unknown> {
  const { path, extensions } = isObject(error) ? error : {};
  const root: unknown = Array.isArray(path) ? path[0] : undefined;
  const isRoot = typeof root === 'string' && rootKeys.includes(root);
  if (isRoot && isObject(data) && Object.hasOwn(data, root) && data[root] !== null) return shapeError(error);
  const { code } = pick(extensions, ['code']) ?? {};
  return {
    message: MASKED_MESSAGE,
    path: isRoot ? [root] : undefined,
    extensions: typeof code === 'string' && CODE.test(code) ? { code } : undefined,
  };
}

/** The members of those names that an object has; undefined when it has none. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  const picked = names
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => [name, value[name]] as const);
  return picked.length > 0 ? Object.fromEntries(picked) : undefined;
}
