import { Kind, print, visit, type DocumentNode } from 'graphql';

/**
 * The text of an operation without the arguments whose variables have no value (interface 4.3, rule 2): a document
 * written once serves every call.
 */
export function printWithout(document: DocumentNode, absent: ReadonlySet<string>): string {
  if (absent.size === 0) return print(document);
  const pruned = visit(document, {
    Argument: ({ value }) => (isAbsent(value, absent) ? null : undefined),
    ObjectField: ({ value }) => (isAbsent(value, absent) ? null : undefined),
  });
  const used = new Set<string>();
  visit(pruned, {
    VariableDefinition: () => false,
    Variable: ({ name }) => {
      used.add(name.value);
    },
  });
  const isUnused = (name: string): boolean => absent.has(name) && !used.has(name);
  return print(
    visit(pruned, {
      VariableDefinition: ({ variable }) => (isUnused(variable.name.value) ? null : undefined),
    }),
  );
}

function isAbsent(
  value: { readonly kind: Kind; readonly name?: { readonly value: string } },
  absent: ReadonlySet<string>,
): boolean {
  return value.kind === Kind.VARIABLE && value.name !== undefined && absent.has(value.name.value);
}
