import {
  GraphQLError,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  ProvidedRequiredArgumentsRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
  ValuesOfCorrectTypeRule,
  parse,
  print,
  validate,
  visit,
  type ASTNode,
  type DocumentNode,
  type ValueNode,
} from 'graphql';
import { DIRECTIVE_SCHEMA, OwnDirectivesRule } from './directive-schema.js';

/** A fault in the text of a registered operation, and its line. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }

  /** At the place of a node of the text. */
  static at(
    node: { readonly loc?: { readonly startToken: { readonly line: number } } | undefined },
    message: string,
  ) {
    return new DocumentFault(message, node.loc?.startToken.line ?? 1);
  }
}

/**
 * The rules of GraphQL that need no schema of the upstream (specification, section 5): what breaks them is refused there,
 * or breaks the form of a directive. What is declared and not used is left to `operations check`.
 */
const RULES = [
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  KnownArgumentNamesRule,
  ProvidedRequiredArgumentsRule,
  ValuesOfCorrectTypeRule,
  OwnDirectivesRule,
];

/**
 * Reads the text of an operation file.
 * @throws DocumentFault for the first thing that GraphQL itself says against it
 */
export function parseDocument(text: string): DocumentNode {
  try {
    const document = parse(text);
    const [fault] = validate(DIRECTIVE_SCHEMA, document, RULES, { maxErrors: 1 });
    if (fault) throw fault;
    return document;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { message, locations } = error;
    throw new DocumentFault(message, locations?.[0]?.line ?? 1);
  }
}

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
  const used = variablesIn([pruned]);
  return print(
    visit(pruned, {
      VariableDefinition: ({ variable: { name } }) =>
        absent.has(name.value) && !used.has(name.value) ? null : undefined,
    }),
  );
}

/** The variables that nodes use; one that is declared only is not. */
export function variablesIn(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodes) {
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => {
        names.add(name.value);
      },
    });
  }
  return names;
}

function isAbsent(value: ValueNode, absent: ReadonlySet<string>): boolean {
  return value.kind === Kind.VARIABLE && absent.has(value.name.value);
}
