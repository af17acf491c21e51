import type { DirectiveNode } from 'graphql';
import { graphql } from '../graphql-packages.js';

/** A part of the schema as its SDL has it; built-in types have none. */
type Node = { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined;

/** True if a part of the schema carries a directive. */
export function hasDirective(node: Node, name: string): boolean {
  return findDirective(node, name) !== undefined;
}

/** The argument of a directive, a text or a number, as text; undefined without the directive. */
export function directiveText(node: Node, name: string, argument: string): string | undefined {
  const value = findDirective(node, name)?.arguments?.find((given) => given.name.value === argument)?.value;
  return value?.kind === graphql.Kind.STRING || value?.kind === graphql.Kind.INT ? value.value : undefined;
}

function findDirective(node: Node, name: string): DirectiveNode | undefined {
  return node?.directives?.find((directive) => directive.name.value === name);
}
