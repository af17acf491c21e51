import { Kind, type SelectionSetNode } from 'graphql';
import type { Fragments } from './document-limits.js';
import { isObject } from './operation-request.js';

/** What a selection asks for, by response key; null where it asks for nothing below. */
export type SelectionTree = ReadonlyMap<string, SelectionTree | null>;

type GrowingTree = Map<string, GrowingTree | null>;

/** The selection with its fragments spread out, for whatever types: those that do not apply find nothing. */
export function readSelectionTree(selection: SelectionSetNode, fragments: Fragments): SelectionTree {
  const tree: GrowingTree = new Map();
  addSelection(tree, selection, fragments);
  return tree;
}

function addSelection(tree: GrowingTree, { selections }: SelectionSetNode, fragments: Fragments): void {
  for (const node of selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) addSelection(tree, node.selectionSet, fragments);
    else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(node.name.value);
      if (fragment) addSelection(tree, fragment.selectionSet, fragments);
    } else {
      const key = (node.alias ?? node.name).value;
      const below = tree.get(key) ?? (node.selectionSet ? new Map<string, GrowingTree | null>() : null);
      tree.set(key, below);
      if (below && node.selectionSet) addSelection(below, node.selectionSet, fragments);
    }
  }
}

/** Whether the path leads through the tree to a leaf. */
export function leadsToLeaf(tree: SelectionTree, path: readonly string[]): boolean {
  let below: SelectionTree | null | undefined = tree;
  for (const key of path) below = below?.get(key);
  return below === null;
}

/**
 * A copy of the data with only what was selected; texts go through `mapText`.
 * @param onRemoved called for each member that nobody asked for
 */
export function project(
  value: unknown,
  tree: SelectionTree | null,
  mapText: (text: string) => string,
  onRemoved: () => void,
): unknown {
  if (typeof value === 'string') return mapText(value);
  if (Array.isArray(value)) return value.map((item) => project(item, tree, mapText, onRemoved));
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const below = tree === null ? null : tree.get(key);
    if (below === undefined) onRemoved();
    else kept[key] = project(member, below, mapText, onRemoved);
  }
  return kept;
}
