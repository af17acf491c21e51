import { Kind, type FieldNode, type SelectionSetNode } from 'graphql';
import { DocumentFault } from './document-fault.js';
import type { Fragments } from './document-limits.js';
import type {} from './exact-json.js';
import { isObject } from './operation-request.js';

/** What a selection asks for, by response key. */
export type SelectionTree = ReadonlyMap<string, SelectedField>;

/** One field of a selection. */
export interface SelectedField {
  /** What is asked for below; null for a leaf. */
  readonly below: SelectionTree | null;
  /** Whether its value is the URL of an attachment (`@attachment`). */
  readonly isAttachment: boolean;
}

/** What is done to an answer's data besides cutting it to the selection. */
export interface Projection {
  /** Replaces the text of a field that is marked as an attachment. */
  readonly mapText: (text: string) => string;
  /** Called for each member that nobody asked for. */
  readonly onRemoved: () => void;
}

interface GrowingField extends SelectedField {
  readonly below: GrowingTree | null;
}

type GrowingTree = Map<string, GrowingField>;

/**
 * The selection with its fragments spread out, for whatever types: those that do not apply find nothing.
 * @throws DocumentFault when fields of one response key differ in `@attachment`, since an answer does not tell them apart
 */
export function readSelectionTree(selection: SelectionSetNode, fragments: Fragments): SelectionTree {
  const tree: GrowingTree = new Map();
  addSelection(tree, selection, fragments);
  return tree;
}

function addSelection(tree: GrowingTree, { selections }: SelectionSetNode, fragments: Fragments): void {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) addField(tree, node, fragments);
    else if (node.kind === Kind.INLINE_FRAGMENT) addSelection(tree, node.selectionSet, fragments);
    else {
      const fragment = fragments.get(node.name.value);
      if (fragment) addSelection(tree, fragment.selectionSet, fragments);
    }
  }
}

function addField(tree: GrowingTree, node: FieldNode, fragments: Fragments): void {
  const key = (node.alias ?? node.name).value;
  const isAttachment = node.directives?.some(({ name }) => name.value === 'attachment') === true;
  const field = tree.get(key) ?? { below: node.selectionSet ? new Map() : null, isAttachment };
  if (field.isAttachment !== isAttachment)
    throw DocumentFault.at(node, `"${key}" is selected both with and without @attachment`);
  tree.set(key, field);
  if (field.below && node.selectionSet) addSelection(field.below, node.selectionSet, fragments);
}

/** Whether the path leads through the tree to a leaf. */
export function leadsToLeaf(tree: SelectionTree, path: readonly string[]): boolean {
  let below: SelectionTree | null | undefined = tree;
  for (const key of path) below = below?.get(key)?.below;
  return below === null;
}

/** A copy of an answer's data with only what was selected. */
export function project(data: unknown, tree: SelectionTree, projection: Projection): unknown {
  return projectField(data, { below: tree, isAttachment: false }, projection);
}

function projectField(value: unknown, field: SelectedField, projection: Projection): unknown {
  if (typeof value === 'string') return field.isAttachment ? projection.mapText(value) : value;
  if (Array.isArray(value)) return value.map((item) => projectField(item, field, projection));
  const { below } = field;
  if (below === null || !isObject(value) || JSON.isRawJSON(value)) return value;
  const members = Object.entries(value);
  const kept = members.filter(([key]) => below.has(key));
  for (let removed = members.length - kept.length; removed > 0; removed -= 1) projection.onRemoved();
  return Object.fromEntries(
    kept.map(([key, member]) => [key, projectField(member, below.get(key)!, projection)]),
  );
}
