import {
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type NameNode,
  type OperationDefinitionNode,
} from 'graphql';
import { unlessTooDeep } from '../../errors/unless-too-deep.js';
import { fragmentsOf, walkOperation } from '../documents/document-walk.js';
import type { ArgumentUse } from '../documents/operation-rules.js';
import { isOwn } from './directive-schema.js';
import { isOwned, readDirectives, type OperationDirectives } from './directives.js';
import type { VariableDefinition } from './hirer-binding.js';
import { DocumentFault, parseDocument } from './parse-document.js';
import { fieldsOf, readSelectionTree, responseKey, type SelectionTree } from './selection-tree.js';

/** The compiled text of an operation: everything about it that does not depend on a call. */
export interface CompiledOperation extends OperationDirectives {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  /** Without our directives. */
  readonly document: DocumentNode;
  readonly rootKeys: readonly string[];
  /** Of these, the keys of fields that can belong to a hirer. */
  readonly ownedRootKeys: readonly string[];
  readonly selection: SelectionTree;
  readonly variables: ReadonlyMap<string, VariableDefinition>;
  readonly arguments: ArgumentUse;
  /** File of the text, for the log. */
  readonly source: string;
}

type NamedOperation = OperationDefinitionNode & { readonly name: NameNode };

/**
 * Reads the text of a registered operation.
 * @param source file of the text, for the log
 * @throws DocumentFault
 */
export function compileOperation(text: string, source: string): CompiledOperation {
  return unlessTooDeep(
    () => compile(text, source),
    () => {
      throw new DocumentFault('the text is nested too deeply', 1);
    },
  );
}

function compile(text: string, source: string): CompiledOperation {
  const document = parseDocument(text);
  const operation = onlyOperation(document);
  const type = operation.operation;
  if (type === OperationTypeNode.SUBSCRIPTION) {
    throw DocumentFault.at(operation, 'subscriptions cannot be registered');
  }
  const fragments = fragmentsOf(document);
  const selection = readSelectionTree([operation.selectionSet], fragments);
  const roots = [...fieldsOf([operation.selectionSet], fragments)];
  const variables = new Map(
    (operation.variableDefinitions ?? []).map(
      ({ variable, type: declared, defaultValue }) =>
        [variable.name.value, { type: declared, hasDefault: defaultValue !== undefined }] as const,
    ),
  );
  const directives = readDirectives({ operation, document, fragments, variables, selection, roots });
  return {
    ...directives,
    name: operation.name.value,
    type,
    document: visit(document, { Directive: (node) => (isOwn(node) ? null : undefined) }),
    rootKeys: roots.map(responseKey),
    ownedRootKeys: roots.filter(isOwned).map(responseKey),
    selection,
    variables,
    arguments: withoutUses(walkOperation(operation, fragments).arguments),
    source,
  };
}

/** A variable without a value is left out of a registered operation together with its use. */
function withoutUses({ inlined, optional }: ArgumentUse): ArgumentUse {
  return { inlined, optional: new Map([...optional.keys()].map((name) => [name, undefined])) };
}

function onlyOperation({ definitions }: DocumentNode): NamedOperation {
  const strange = definitions.find(
    ({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION,
  );
  if (strange) throw DocumentFault.at(strange, 'only operations and fragments are expected');
  const [operation, again] = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new DocumentFault('there is no operation', 1);
  if (again) throw DocumentFault.at(again, 'there is more than one operation');
  if (!operation.name) throw DocumentFault.at(operation, 'the operation has no name');
  return operation as NamedOperation;
}
