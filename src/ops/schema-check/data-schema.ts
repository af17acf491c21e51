import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { JsonSchema } from '../../webhooks/schema/delivery-schema.js';

const TEXT: JsonSchema = { type: 'string' };

/** JSON Schema types of the scalars; any other scalar is any value, but those that are texts in JSON. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  DateTime: { type: 'string' },
  Date: { type: 'string' },
  HistoryDate: { type: 'string' },
};

/**
 * The JSON Schema of a query's data. An object whose type is one of several has the form of one of them; enums are texts,
 * because the upstream may add to them.
 * @param document one operation, valid in the schema, and its fragments
 */
export function dataSchema(schema: GraphQLSchema, document: DocumentNode): JsonSchema {
  return new SchemaReader(schema, document).ofOperation();
}

class SchemaReader {
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly document: DocumentNode,
  ) {}

  ofOperation(): JsonSchema {
    const { selectionSet } = this.document.definitions.find(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    ) as OperationDefinitionNode;
    return this.ofComposite(this.schema.getRootType(OperationTypeNode.QUERY)!, [selectionSet]);
  }

  private ofValue(type: GraphQLOutputType, nodes: readonly FieldNode[]): JsonSchema {
    if (isNonNullType(type)) return this.ofPresent(type.ofType, nodes);
    return { anyOf: [this.ofPresent(type, nodes), { type: 'null' }] };
  }

  private ofPresent(type: GraphQLOutputType, nodes: readonly FieldNode[]): JsonSchema {
    if (isListType(type)) return { type: 'array', items: this.ofValue(type.ofType, nodes) };
    const named = getNamedType(type);
    if (!isCompositeType(named)) return isEnumType(named) ? TEXT : (SCALARS[named.name] ?? {});
    return this.ofComposite(
      named,
      nodes.map(({ selectionSet }) => selectionSet!),
    );
  }

  private ofComposite(type: GraphQLCompositeType, selections: readonly SelectionSetNode[]): JsonSchema {
    const types = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type];
    const forms = types.map((possible) => this.ofObject(possible, selections));
    const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
    return distinct.length === 1 ? distinct[0]! : { anyOf: distinct };
  }

  private ofObject(type: GraphQLObjectType, selections: readonly SelectionSetNode[]): JsonSchema {
    const fields = new Map<string, FieldNode[]>();
    for (const selection of selections) this.collect(type, selection, fields);
    const entries = [...fields];
    const properties = entries.map(([key, nodes]) => [key, this.ofField(type, nodes)]);
    const required = entries.filter(([, nodes]) => !nodes.every(isConditional)).map(([key]) => key);
    return { type: 'object', required, properties: Object.fromEntries(properties) };
  }

  private ofField(type: GraphQLObjectType, nodes: readonly FieldNode[]): JsonSchema {
    const name = nodes[0]!.name.value;
    if (name === '__typename') return TEXT;
    return this.ofValue(type.getFields()[name]!.type, nodes);
  }

  /** The fields that an object of this type answers, by response key (GraphQL specification, 6.3.2). */
  private collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    fields: Map<string, FieldNode[]>,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        fields.set(key, [...(fields.get(key) ?? []), selection]);
        continue;
      }
      const part = selection.kind === Kind.FRAGMENT_SPREAD ? this.fragment(selection.name.value) : selection;
      const condition = part.typeCondition?.name.value;
      if (condition === undefined || this.isOf(type, condition)) {
        this.collect(type, part.selectionSet, fields);
      }
    }
  }

  private fragment(name: string) {
    const found = this.document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
    );
    if (found?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`there is no fragment ${name}`);
    return found;
  }

  private isOf(type: GraphQLObjectType, condition: string): boolean {
    const other = this.schema.getType(condition);
    return other === type || (isAbstractType(other) && this.schema.isSubType(other, type));
  }
}

/** True for a field that a variable may leave out. */
function isConditional({ directives = [] }: FieldNode): boolean {
  return directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
}
