import { Kind, valueFromASTUntyped, type ConstDirectiveNode, type DirectiveNode } from 'graphql';
import { DocumentFault } from './document-fault.js';

/**
 * The arguments of one of our directives.
 * @throws DocumentFault for one that is not known, and for a variable
 */
export function readDirectiveArguments(
  node: DirectiveNode | ConstDirectiveNode,
  known: readonly string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, value } of node.arguments ?? []) {
    if (!known.includes(name.value)) {
      throw DocumentFault.at(name, `@${node.name.value} has no argument "${name.value}"`);
    }
    if (value.kind === Kind.VARIABLE) {
      throw DocumentFault.at(name, `@${node.name.value}(${name.value}:) cannot be a variable`);
    }
    values[name.value] = valueFromASTUntyped(value);
  }
  return values;
}
