import { Kind, visit, type DocumentNode } from 'graphql';

/**
 * The breaks of interface.md 4.3 that a request shows: rule 1, arguments inlined into the text; rule 2,
 * optional arguments set to null, to an empty string, or to a variable that carries no value.
 */
export function findRuleBreaks(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): string[] {
  const breaks = new Set<string>();
  visit(document, {
    Directive: () => false,
    // Introspection queries customarily have literals.
    FragmentDefinition: ({ typeCondition }) =>
      typeCondition.name.value.startsWith('__') ? false : undefined,
    Field: (field) => {
      if (field.name.value.startsWith('__')) return false;
      for (const { name, value } of field.arguments ?? []) {
        const argument = `${field.name.value}(${name.value}:)`;
        if (value.kind !== Kind.VARIABLE) breaks.add(`4.3.1 ${argument} is inlined`);
        else if (isEmpty(variables[value.name.value])) breaks.add(`4.3.2 ${argument} carries no value`);
      }
      return undefined;
    },
  });
  for (const [name, value] of Object.entries(variables)) {
    for (const path of emptyPaths(value, `$${name}`)) breaks.add(`4.3.2 ${path} carries no value`);
  }
  return [...breaks];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function emptyPaths(value: unknown, path: string): string[] {
  if (isEmpty(value)) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => emptyPaths(member, `${path}.${name}`));
}
