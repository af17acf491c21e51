import { isObject } from '../../json/is-object.js';
import type { CompiledOperation } from '../compile/compile-operation.js';
import type { SelectionTree } from '../compile/selection-tree.js';

const MASKED_MESSAGE = 'A part of the object could not be read.';
const CODE = /^[\w-]{1,64}$/;

/** One of the upstream's `errors` as the caller sees it: message, locations, path and code, in the specification's forms. */
export function shapeError(error: unknown): Record<string, unknown> {
  const { message, locations, path, extensions } = isObject(error) ? error : {};
  const { code } = isObject(extensions) ? extensions : {};
  return {
    message: typeof message === 'string' ? message : MASKED_MESSAGE,
    locations: Array.isArray(locations) ? locations.flatMap(readLocation) : undefined,
    path: Array.isArray(path) ? path.filter(isStep) : undefined,
    extensions: typeof code === 'string' ? { code } : undefined,
  };
}

function readLocation(location: unknown): { line: unknown; column: unknown } | [] {
  const { line, column } = isObject(location) ? location : {};
  return Number.isSafeInteger(line) && Number.isSafeInteger(column) ? { line, column } : [];
}

function isStep(step: unknown): boolean {
  return typeof step === 'string' || Number.isSafeInteger(step);
}

/**
 * One of the `errors` of an answer that must prove the ownership of its data. The error is about proven data when its
 * path begins with a root field of a hirer that is present. Any other may quote another hirer's object, so only its code
 * (if a plain word) and its path (as far as the operation selects it) are shown.
 */
export function shapeConfinedError(
  error: unknown,
  data: unknown,
  { selection, ownedRootKeys }: Pick<CompiledOperation, 'selection' | 'ownedRootKeys'>,
): Record<string, unknown> {
  const { path, extensions } = isObject(error) ? error : {};
  const [root, ...below] = selectedPath(path, selection);
  const isPresent = root !== undefined && isObject(data) && Object.hasOwn(data, root) && data[root] !== null;
  if (isPresent && ownedRootKeys.includes(root)) return shapeError(error);
  const { code } = isObject(extensions) ? extensions : {};
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
