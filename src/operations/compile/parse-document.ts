import {
  GraphQLError,
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
  validate,
  type DocumentNode,
} from 'graphql';
import { DIRECTIVE_SCHEMA, OwnDirectivesRule } from './directive-schema.js';
import { DocumentFault } from './document-fault.js';

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
