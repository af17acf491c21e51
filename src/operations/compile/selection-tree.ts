import { Kind, type FieldNode, type SelectionSetNode } from 'graphql';
import { faultAt } from './parse-document.js';
import type { Fragments } from '../documents/document-walk.js';

interface Selected {
  /** The selection below; null for a leaf. */
  readonly below: SelectionTree | null;
  /** True if its value is the URL of an attachment (`@attachment`). */
  readonly isAttachment: boolean;
}

/** The fields of a selection, by response key: the name that a member has in an answer. */
export type SelectionTree = ReadonlyMap<string, Selected>;

/**
 * The selection with its fragments spread out, for all types: a fragment that does not apply finds nothing.
 * @throws GraphQLError when fields of one response key differ in `@attachment`
 */
export function readSelectionTree(
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
): SelectionTree {
  const tree = new Map<string, Selected>();
  for (const [key, nodes] of Map.groupBy(fieldsOf(selections, fragments), responseKey)) {
    const isMarked = isAttachment(nodes[0]!);
    const other = nodes.find((node) => isAttachment(node) !== isMarked);
    if (other) throw faultAt(other, `"${key}" is selected both with and without @attachment`);
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const belowTree = below.length > 0 ? readSelectionTree(below, fragments) : null;
    tree.set(key, { below: belowTree, isAttachment: isMarked });
  }
  return tree;
}

/** The fields of selections, those that fragments bring included, each once. */
export function fieldsOf(
  selections: readonly SelectionSetNode[],
  fragments: Fragments,
): ReadonlySet<FieldNode> {
  const fields = new Set<FieldNode>();
  const spread = new Set<string>();
  const waiting = [...selections];
  for (const { selections: nodes } of waiting) {
    for (const node of nodes) {
      if (node.kind === Kind.FIELD) {
        fields.add(node);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        waiting.push(node.selectionSet);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) waiting.push(fragment.selectionSet);
      }
    }
  }
  return fields;
}

export function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

export function isAttachment({ directives }: FieldNode): boolean {
  return directives?.some(({ name }) => name.value === 'attachment') === true;
}

/** True if the path leads through the tree to a leaf. */
export function leadsToLeaf(tree: SelectionTree, path: readonly string[]): boolean {
  let below: SelectionTree | null | undefined = tree;
  for (const key of path) below = below?.get(key)?.below;
  return below === null;
}
