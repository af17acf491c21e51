import {
  GraphQLError,
  GraphQLSchema,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
  parse,
  validate,
  type DocumentNode,
} from 'graphql';
import { DocumentFault } from './document-fault.js';

/**
 * The rules of GraphQL that need no schema (specification, section 5): what breaks them is refused upstream. What is
 * declared and not used is left to `operations check`.
 */
const RULES = [
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
];
const NO_SCHEMA = new GraphQLSchema({ assumeValid: true });

/**
 * Reads the text of an operation file.
 * @throws DocumentFault for the first thing that GraphQL itself says against it
 */
export function parseDocument(text: string): DocumentNode {
  const document = parseText(text);
  const [fault] = validate(NO_SCHEMA, document, RULES, { maxErrors: 1 });
  if (fault) throw faultOf(fault);
  return document;
}

function parseText(text: string): DocumentNode {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof GraphQLError ? faultOf(error) : error;
  }
}

function faultOf({ message, locations }: GraphQLError): DocumentFault {
  return new DocumentFault(message, locations?.[0]?.line ?? 1);
}
