import { isObject } from '../../json/is-object.js';
import type { SelectionTree } from '../compile/selection-tree.js';

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
 * One of the `errors` of an answer that must prove the ownership of its data. The error is about proven data when its
 * path begins with a root field that is present. Any other may quote another hirer's object, so only its code (if a
 * plain word) and its path (as far as the operation selects it) are shown.
 * @param data what the caller will see, all of it proven
 */
export function shapeUnprovenError(
  error: unknown,
  data: unknown,
  selection: SelectionTree,
): Record<string, unknown> {
  const { path, extensions } = isObject(error) ? error : {};
  const [root, ...below] = selectedPath(path, selection);
  if (root !== undefined && isObject(data) && Object.hasOwn(data, root) && data[root] !== null) {
    return shapeError(error);
  }
  const { code } = pick(extensions, ['code']) ?? {};
  return {
    message: MASKED_MESSAGE,
    path: root === undefined ? undefined : [root, ...below],
    extensions: typeof code === 'string' && CODE.test(code) ? { code } : undefined,
  };
}

/** The leading part of an error's path that consists of selected fields and list positions, from a root field on. */
function selectedPath(path: unknown, selection: SelectionTree): [] | [root: string, ...below: unknown[]] {
  const [root, ...below] = Array.isArray(path) ? (path as unknown[]) : [];
  if (typeof root !== 'string' || !selection.get(root)) return [];
  const kept: [string, ...unknown[]] = [root];
  let tree = selection.get(root)?.below;
  for (const step of below) {
    if (typeof step === 'string') {
      if (!tree?.get(step)) break;
      tree = tree.get(step)?.below;
    } else if (!Number.isSafeInteger(step)) {
      break;
    }
    kept.push(step);
  }
  return kept;
}

/** The members of those names that an object has; undefined when it has none. */
function pick(value: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  const picked = names
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => [name, value[name]] as const);
  return picked.length > 0 ? Object.fromEntries(picked) : undefined;
}
