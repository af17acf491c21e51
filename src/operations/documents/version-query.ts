import { GraphQLError, Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';

/** Enough for `query Name { a: version b: version }`. */
const TOKENS_MAX = 32;

/** True if the operation asks for `version` and nothing else, the one field that needs no token (interface 5.1). */
export function isVersionQuery({ operation, selectionSet }: OperationDefinitionNode): boolean {
  return (
    operation === OperationTypeNode.QUERY &&
    selectionSet.selections.every(
      (node) =>
        node.kind === Kind.FIELD &&
        node.name.value === 'version' &&
        !node.selectionSet &&
        !node.arguments?.length,
    )
  );
}

/**
 * The response keys of a text that is the `version` query and nothing else; undefined for any other text. It parses at
 * most 32 tokens and remembers nothing, because anyone can send the text.
 */
export function readVersionQuery(
  text: string,
  operationName: string | undefined,
): readonly string[] | undefined {
  const operation = parseOnlyOperation(text);
  if (!operation || !isVersionQuery(operation)) return undefined;
  if (operationName !== undefined && operationName !== operation.name?.value) return undefined;
  return operation.selectionSet.selections.map((node) =>
    node.kind === Kind.FIELD ? (node.alias ?? node.name).value : '',
  );
}

function parseOnlyOperation(text: string): OperationDefinitionNode | undefined {
  try {
    const { definitions } = parse(text, { maxTokens: TOKENS_MAX, noLocation: true });
    const [only, again] = definitions;
    return !again && only?.kind === Kind.OPERATION_DEFINITION ? only : undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
