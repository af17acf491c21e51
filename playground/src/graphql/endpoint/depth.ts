import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind } from '../graphql-packages.js';

/** The greatest depth of an operation's fields, through its fragments. Validation has already refused cycles. */
export function depthOf({ definitions }: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const depthOfSet = (set: SelectionSetNode | undefined): number =>
    Math.max(
      0,
      ...(set?.selections ?? []).map((selection) => {
        switch (selection.kind) {
          case Kind.FIELD:
            return 1 + depthOfSet(selection.selectionSet);
          case Kind.INLINE_FRAGMENT:
            return depthOfSet(selection.selectionSet);
          case Kind.FRAGMENT_SPREAD:
            return depthOfSet(fragments.get(selection.name.value)?.selectionSet);
        }
      }),
    );
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return Math.max(0, ...operations.map(({ selectionSet }) => depthOfSet(selectionSet)));
}
