import type { DocumentNode } from 'graphql';
import type { ArgumentUse } from '../documents/operation-rules.js';
import type { OperationDirectives } from './operation-directives.js';
import type { SelectionTree } from './selection-tree.js';
import type { VariableDefinition } from './variable-types.js';

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
