import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  Source,
  visit,
  type DocumentNode,
  type VariableDefinitionNode,
} from 'graphql';
import { fragmentsOf, walkOperation, type ArgumentUse } from '../documents/document-walk.js';
import { isOwned, readDirectives, type OperationDirectives } from './directives.js';
import { faultAt, isOwn, parseDocument } from './parse-document.js';
import { fieldsOf, readSelectionTree, responseKey, type SelectionTree } from './selection-tree.js';

/** Everything about an operation that does not depend on a call. */
export interface CompiledOperation extends OperationDirectives {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  /** Without our directives. */
  readonly document: DocumentNode;
  readonly rootKeys: readonly string[];
  /** Of these, the keys of fields that can belong to a hirer. */
  readonly ownedRootKeys: readonly string[];
  readonly selection: SelectionTree;
  readonly variables: ReadonlyMap<string, VariableDefinitionNode>;
  readonly arguments: ArgumentUse;
  /** File of the text. */
  readonly source: string;
}

/** @throws GraphQLError for a fault of the text */
export function compileOperation(text: string, source: string): CompiledOperation {
  const document = parseDocument(new Source(text, source));
  const [operation, again] = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new GraphQLError('there is no operation');
  if (again) throw faultAt(again, 'there is more than one operation');
  const { name, operation: type, selectionSet, variableDefinitions = [] } = operation;
  if (!name) throw faultAt(operation, 'the operation has no name');
  if (type === OperationTypeNode.SUBSCRIPTION) {
    throw faultAt(operation, 'subscriptions cannot be registered');
  }
  const fragments = fragmentsOf(document);
  const selection = readSelectionTree([selectionSet], fragments);
  const roots = [...fieldsOf([selectionSet], fragments)];
  const variables = new Map(variableDefinitions.map((one) => [one.variable.name.value, one]));
  const { inlined, optional } = walkOperation(operation, fragments).arguments;
  return {
    ...readDirectives({ operation, document, fragments, variables, selection, roots }),
    name: name.value,
    type,
    document: visit(document, { Directive: (node) => (isOwn(node) ? null : undefined) }),
    rootKeys: roots.map(responseKey),
    ownedRootKeys: roots.filter(isOwned).map(responseKey),
    selection,
    variables,
    // a variable without a value is left out together with its use
    arguments: { inlined, optional: new Map([...optional.keys()].map((key) => [key, undefined])) },
    source,
  };
}
