import {
  Kind,
  OperationTypeNode,
  visit,
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type NameNode,
  type OperationDefinitionNode,
} from 'graphql';
import { MACHINE_ROLE } from '../../http/end-user.js';
import { unlessTooDeep } from '../../errors/unless-too-deep.js';
import { fragmentsOf } from '../documents/analyzed-document.js';
import type { Fragments } from '../documents/document-limits.js';
import { checkDirectivePlaces } from './directive-places.js';
import { checkEvents } from './event-triggers.js';
import { DocumentFault } from './document-fault.js';
import type { Place } from '../confine/values-at.js';
import type { HirerBinding } from './hirer-binding.js';
import { OWN_DIRECTIVES, readDirectives, type OperationDirectives } from './operation-directives.js';
import { readArguments } from '../documents/operation-rules.js';
import type { CompiledOperation } from './compiled-operation.js';
import { parseDocument } from './parse-document.js';
import { fieldsOf, leadsToLeaf, readSelectionTree, responseKey } from './selection-tree.js';

type NamedOperation = OperationDefinitionNode & { readonly name: NameNode };

/** Fields that belong to no hirer (interface 5.1; introspection). */
const UNOWNED_FIELDS: ReadonlySet<string> = new Set(['version', '__typename']);

/** Fields of a connection (Relay) that list its objects. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['edges', 'nodes']);

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
  const [attachment] = checkDirectivePlaces(document, operation);
  const directives = readDirectives(operation, document);
  const selection = readSelectionTree(operation.selectionSet, fragments);
  const roots = [...fieldsOf([operation.selectionSet], fragments)];
  for (const binding of directives.bindings) checkBinding(binding, operation, selection);
  checkSingleObject(directives.bindings, roots, fragments);
  checkEventBindings(directives.bindings, roots);
  const { token, bindings } = directives;
  checkUnbound(directives);
  checkEvents(directives, operation);
  if (token === 'partner') checkConfinement('@token(use: PARTNER)', operation, operation, bindings, roots);
  if (attachment) checkConfinement('@attachment', attachment, operation, bindings, roots);
  const argumentUse = readArguments(operation, fragments.values());
  return {
    ...directives,
    name: operation.name.value,
    type,
    document: withoutOwnDirectives(document),
    rootKeys: roots.map(responseKey),
    ownedRootKeys: roots.filter(isOwned).map(responseKey),
    selection,
    variables: readVariables(operation),
    arguments: {
      ...argumentUse,
      optional: new Map([...argumentUse.optional.keys()].map((name) => [name, ''])),
    },
    source,
  };
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

function checkBinding(
  binding: HirerBinding,
  operation: OperationDefinitionNode,
  selection: CompiledOperation['selection'],
): void {
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const checkVariable = (name: string): void => {
    if (!names.includes(name)) throw DocumentFault.at(binding.node, `there is no variable "${name}"`);
  };
  const checkPath = (path: Place): void => {
    if (leadsToLeaf(selection, path)) return;
    throw DocumentFault.at(binding.node, `the operation does not select "${path.join('.')}"`);
  };
  switch (binding.kind) {
    case 'variable':
      return checkVariable(binding.variable[0]!);
    case 'path':
      return checkPath(binding.path);
    case 'anyPath':
      if (binding.event !== undefined) checkVariable(binding.event);
      return binding.paths.forEach(checkPath);
    case 'query':
      for (const place of binding.variables.values()) checkVariable(place[0]!);
      return;
    case 'none':
      return;
    default:
      return binding satisfies never;
  }
}

/** By their names, the fields of a root field whose value is a page of objects, of which one proves nothing of another. */
function checkSingleObject(
  bindings: readonly HirerBinding[],
  roots: readonly FieldNode[],
  fragments: Fragments,
): void {
  for (const binding of bindings) {
    const paths = binding.kind === 'anyPath' ? binding.paths : [];
    for (const [root, below] of paths) {
      const selections = roots
        .filter((field) => responseKey(field) === root)
        .flatMap(({ selectionSet }) => selectionSet ?? []);
      const fields = [...fieldsOf(selections, fragments)].filter((field) => responseKey(field) === below);
      const page = fields.find(({ name }) => PAGE_FIELDS.has(name.value));
      if (!page) continue;
      throw DocumentFault.at(
        binding.node,
        `@hirer(anyPath:) proves one object, and "${root}.${below}" lists several: use @hirer(path:), which proves each`,
      );
    }
  }
}

/** What hangs on no hirer is for machines alone, and needs the partner token: a browser token is of one hirer. */
function checkUnbound({ bindings, roles, token }: OperationDirectives): void {
  const unbound = bindings.find(({ kind }) => kind === 'none');
  if (!unbound) return;
  const isForMachines = roles !== undefined && roles.every((role) => role === MACHINE_ROLE);
  if (bindings.length > 1) throw DocumentFault.at(unbound.node, '@hirer(none:) goes with no other @hirer');
  if (!isForMachines) {
    throw DocumentFault.at(
      unbound.node,
      '@hirer(none: true) needs @role(any: ["machine"]), and no other role',
    );
  }
  if (token !== 'partner') {
    throw DocumentFault.at(unbound.node, '@hirer(none: true) needs @token(use: PARTNER)');
  }
}

/** A stored event says whose that event is and nothing else, so its variable must be what the proven field is asked by. */
function checkEventBindings(bindings: readonly HirerBinding[], roots: readonly FieldNode[]): void {
  const [binding, again] = bindings.filter(
    (one) => one.kind === 'anyPath' && one.event !== undefined,
  ) as Extract<HirerBinding, { kind: 'anyPath' }>[];
  if (again) throw DocumentFault.at(again.node, '@hirer(event:) is given twice');
  if (!binding) return;
  const proven = roots.filter((field) => responseKey(field) === binding.paths[0]![0]);
  const isAskedBy = ({ name, value }: ArgumentNode): boolean =>
    name.value === 'id' && value.kind === Kind.VARIABLE && value.name.value === binding.event;
  if (proven.every((field) => field.name.value === 'event' && field.arguments?.some(isAskedBy))) return;
  throw DocumentFault.at(binding.node, `@hirer(event:) is for the field event(id: $${binding.event})`);
}

function isOwned({ name }: FieldNode): boolean {
  return !UNOWNED_FIELDS.has(name.value);
}

/** Where the partner token is used, every root field must be tied to the hirer; that of a mutation before it runs. */
function checkConfinement(
  directive: string,
  node: ASTNode,
  operation: OperationDefinitionNode,
  bindings: readonly HirerBinding[],
  roots: readonly FieldNode[],
): void {
  if (bindings.some(({ kind }) => kind === 'none')) return;
  if (bindings.length === 0) {
    throw DocumentFault.at(node, `${directive} needs a @hirer that ties the operation to the hirer`);
  }
  const variables = new Set(bindings.flatMap(boundVariables));
  const keys =
    operation.operation === OperationTypeNode.QUERY
      ? new Set(bindings.flatMap(provenRoots))
      : new Set<string>();
  for (const field of roots) {
    const tied = keys.has(responseKey(field)) || usesVariable(field, variables);
    if (!tied && isOwned(field)) {
      throw DocumentFault.at(field, `no @hirer ties "${responseKey(field)}" to the hirer`);
    }
  }
}

function provenRoots(binding: HirerBinding): string[] {
  if (binding.kind === 'path') return [binding.path[0]!];
  return binding.kind === 'anyPath' ? [binding.paths[0]![0]!] : [];
}

/** An optional query proves nothing where its place is empty, so it ties no field. */
function boundVariables(binding: HirerBinding): string[] {
  if (binding.kind === 'variable') return [binding.variable[0]!];
  if (binding.kind !== 'query' || binding.optional) return [];
  return [...binding.variables.values()].map(([name]) => name!);
}

function usesVariable(field: FieldNode, names: ReadonlySet<string>): boolean {
  let used = false;
  for (const argument of field.arguments ?? []) {
    visit(argument, {
      Variable: ({ name }) => {
        used ||= names.has(name.value);
      },
    });
  }
  return used;
}

function readVariables(operation: OperationDefinitionNode): CompiledOperation['variables'] {
  return new Map(
    (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => [
      variable.name.value,
      { type, hasDefault: defaultValue !== undefined },
    ]),
  );
}

function withoutOwnDirectives(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: ({ name }) => (OWN_DIRECTIVES.has(name.value) ? null : undefined),
  });
}
