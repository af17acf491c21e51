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
  const shown = selectedPath(path, selection);
  const [root = ''] = shown as readonly [string?];
  const isPresent = isObject(data) && Object.hasOwn(data, root) && data[root] !== null;
  if (isPresent && ownedRootKeys.includes(root)) return shapeError(error);
  const { code } = isObject(extensions) ? extensions : {};
  return {
    message: MASKED_MESSAGE,
    path: shown.length === 0 ? undefined : shown,
    extensions: typeof code === 'string' && CODE.test(code) ? { code } : undefined,
  };
}

/** The leading part of an error's path that consists of selected fields and list positions, from a root field on. */
function selectedPath(path: unknown, selection: SelectionTree): readonly unknown[] {
  let below: SelectionTree | null | undefined = selection;
  const steps: readonly unknown[] = Array.isArray(path) ? path : [];
  const end = steps.findIndex((step, index) => {
    if (typeof step !== 'string') return index === 0 || !Number.isSafeInteger(step);
    const field = below?.get(step);
    below = field?.below;
    return !field;
  });
  return end === -1 ? steps : steps.slice(0, end);
}
