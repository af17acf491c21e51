import {
  Kind,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** A place in an answer that names the hirer of an object. */
export interface OwnerPlace {
  set(hirerId: string | null): void;
}

/** Types whose identifier is a hirer's. */
const HIRERS = new Set(['HiringOrganization', 'PostingRequester']);

/** The concrete types that the root field of an operation can have. */
export function typesOfRoot(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLObjectType[] {
  const operation = operationOf(document);
  const root = operation.selectionSet.selections[0] as FieldNode;
  const type = schema.getRootType(operation.operation)!.getFields()[root.name.value]!.type;
  return concrete(schema, type);
}

/**
 * An answer to an operation, valid in the schema: every field is set, lists have two items, and each hirer in it is the
 * one given.
 * @param rootType type of the object that the root field answers
 */
export function answerTo(
  schema: GraphQLSchema,
  document: DocumentNode,
  rootType: GraphQLObjectType,
  hirerId: string,
): { readonly data: Record<string, unknown>; readonly owners: readonly OwnerPlace[] } {
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const owners: OwnerPlace[] = [];

  const object = (
    type: GraphQLObjectType,
    selections: readonly SelectionSetNode[],
  ): Record<string, unknown> => {
    const fields = Map.groupBy(
      selections.flatMap((selection) => [...fieldsFor(type, selection)]),
      ({ alias, name }) => (alias ?? name).value,
    );
    const answer: Record<string, unknown> = {};
    for (const [key, nodes] of fields) answer[key] = field(type, nodes);
    if (HIRERS.has(type.name) && answer['id']) {
      owners.push(ownerIn(answer['id'] as Record<string, unknown>, 'value'));
    }
    if ('hirerId' in answer) owners.push(ownerIn(answer, 'hirerId'));
    return answer;
  };
  const field = (parent: GraphQLObjectType, [node, ...others]: readonly FieldNode[]): unknown => {
    if (node!.name.value === '__typename') return parent.name;
    const below = [node!, ...others].flatMap(({ selectionSet }) => selectionSet ?? []);
    return value(parent.getFields()[node!.name.value]!.type, below);
  };
  const value = (type: GraphQLOutputType, below: readonly SelectionSetNode[]): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return [value(nullable.ofType, below), value(nullable.ofType, below)];
    if (below.length === 0) return 'x';
    const types = concrete(schema, type);
    return object(types.includes(rootType) ? rootType : types[0]!, below);
  };
  function* fieldsFor(type: GraphQLObjectType, { selections }: SelectionSetNode): Generator<FieldNode> {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        yield node;
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)!;
      const condition = fragment.typeCondition?.name.value ?? type.name;
      const applies = condition === type.name || type.getInterfaces().some(({ name }) => name === condition);
      if (applies) yield* fieldsFor(type, fragment.selectionSet);
    }
  }
  const ownerIn = (holder: Record<string, unknown>, key: string): OwnerPlace => {
    holder[key] = hirerId;
    return { set: (id) => (holder[key] = id) };
  };

  const operation = operationOf(document);
  const data = object(schema.getRootType(operation.operation)!, [operation.selectionSet]);
  return { data, owners };
}

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode {
  return definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!;
}

function concrete(schema: GraphQLSchema, type: GraphQLOutputType): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  if (isAbstractType(named)) return schema.getPossibleTypes(named);
  return isObjectType(named) ? [named] : [];
}
