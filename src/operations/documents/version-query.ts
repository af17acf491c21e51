import { GraphQLError, Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';

/** Enough for `query Name { a: version b: version }`. */
const TOKENS_MAX = 32;

/** True if the operation asks for `version` and nothing else, the one field that needs no token (interface 5.1). */
export function isVersionQuery({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const isVersion = (node: (typeof selectionSet.selections)[number]): boolean =>
    node.kind === Kind.FIELD &&
    node.name.value === 'version' &&
    !node.selectionSet &&
    !node.arguments?.length;
  return operation === OperationTypeNode.QUERY && selectionSet.selections.every(isVersion);
}

/**
 * The response keys of a text that is the `version` query and nothing else; undefined for any other text. It parses at
 * most 32 tokens and remembers nothing, because anyone can send the text.
 */
export function readVersionQuery(text: string, operationName?: string): readonly string[] | undefined {
  try {
    const { definitions } = parse(text, { maxTokens: TOKENS_MAX, noLocation: true });
    const [only, again] = definitions;
    const isAlone = !again && only?.kind === Kind.OPERATION_DEFINITION && isVersionQuery(only);
    if (!isAlone || (operationName ?? only.name?.value) !== only.name?.value) return undefined;
    return only.selectionSet.selections.map((node) =>
      node.kind === Kind.FIELD ? (node.alias ?? node.name).value : '',
    );
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
