import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import { graphql } from '../graphql-packages.js';

/** The values that the variables of one operation carry: what the request gives, else their default. */
type Carried = ReadonlyMap<string, unknown>;

/**
 * The breaks of interface.md 4.3 that a request shows: rule 1, arguments inlined into the text; rule 2,
 * optional arguments set to null, to an empty string, or to a variable that carries no value. Only the operation
 * that runs is judged, with the fragments it uses.
 */
export function findRuleBreaks(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  operationName?: string,
): string[] {
  const operation = graphql.getOperationAST(document, operationName);
  if (operation == null) return [];
  const carried = carriedBy(operation, variables);
  const breaks = new Set<string>();
  for (const node of [operation, ...fragmentsOf(operation, document)]) addBreaks(node, carried, breaks);
  for (const [name, value] of carried) {
    for (const path of emptyPaths(value, `$${name}`)) breaks.add(`4.3.2 ${path} carries no value`);
  }
  return [...breaks];
}

function carriedBy(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Carried {
  const carried = new Map<string, unknown>();
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (given[name] !== undefined) carried.set(name, given[name]);
    else if (defaultValue !== undefined) carried.set(name, graphql.valueFromASTUntyped(defaultValue));
  }
  return carried;
}

function fragmentsOf(
  operation: OperationDefinitionNode,
  { definitions }: DocumentNode,
): Set<FragmentDefinitionNode> {
  const byName = new Map(
    definitions
      .filter((node) => node.kind === graphql.Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const found = new Set<FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    graphql.visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = byName.get(name.value);
        if (fragment === undefined || found.has(fragment)) return;
        found.add(fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return found;
}

function addBreaks(
  node: OperationDefinitionNode | FragmentDefinitionNode,
  carried: Carried,
  breaks: Set<string>,
): void {
  graphql.visit(node, {
    Directive: () => false,
    // Introspection queries customarily have literals.
    FragmentDefinition: ({ typeCondition }) =>
      typeCondition.name.value.startsWith('__') ? false : undefined,
    Field: (field) => {
      if (field.name.value.startsWith('__')) return false;
      for (const { name, value } of field.arguments ?? []) {
        const argument = `${field.name.value}(${name.value}:)`;
        if (value.kind !== graphql.Kind.VARIABLE) breaks.add(`4.3.1 ${argument} is inlined`);
        else if (isEmpty(carried.get(value.name.value))) breaks.add(`4.3.2 ${argument} carries no value`);
      }
      return undefined;
    },
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function emptyPaths(value: unknown, path: string): string[] {
  if (isEmpty(value)) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => emptyPaths(member, `${path}.${name}`));
}
