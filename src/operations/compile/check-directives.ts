import {
  Kind,
  OperationTypeNode,
  visit,
  type ArgumentNode,
  type ASTNode,
  type FieldNode,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { MACHINE_ROLE } from '../../http/end-user.js';
import type { Place } from '../confine/ownership.js';
import type { Fragments } from '../documents/document-limits.js';
import type { HirerBinding, OperationDirectives } from './directives.js';
import { DocumentFault } from './document-fault.js';
import { fieldsOf, leadsToLeaf, responseKey, type SelectionTree } from './selection-tree.js';

/** A variable as the text of its operation declares it. */
export interface VariableDefinition {
  readonly type: TypeNode;
  readonly hasDefault: boolean;
}

/** The parts of an operation by which its directives are judged. */
interface Judged {
  readonly operation: OperationDefinitionNode;
  readonly directives: OperationDirectives;
  readonly variables: ReadonlyMap<string, VariableDefinition>;
  readonly selection: SelectionTree;
  /** Its root fields, those that fragments bring included. */
  readonly roots: readonly FieldNode[];
  readonly fragments: Fragments;
  /** A field with `@attachment`. */
  readonly attachment: FieldNode | undefined;
}

/** Fields that belong to no hirer (interface 5.1; introspection). */
const UNOWNED_FIELDS: ReadonlySet<string> = new Set(['version', '__typename']);

/** Fields of a connection (Relay) that list its objects. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['edges', 'nodes']);

/**
 * Checks what no schema of directives can say: places lead to leaves, what must be of the hirer is tied to it, and what
 * goes with an event can be run for one.
 * @throws DocumentFault
 */
export function checkDirectives(judged: Judged): void {
  const { operation, directives, variables, selection, roots, fragments, attachment } = judged;
  const { token, bindings } = directives;
  for (const binding of bindings) checkBinding(binding, variables, selection);
  checkSingleObject(bindings, roots, fragments);
  checkEventBindings(bindings, roots);
  checkUnbound(directives);
  checkEvents(directives, variables);
  if (token === 'partner') checkConfinement('@token(use: PARTNER)', operation, operation, bindings, roots);
  if (attachment) checkConfinement('@attachment', attachment, operation, bindings, roots);
}

function checkBinding(binding: HirerBinding, variables: Judged['variables'], selection: SelectionTree): void {
  const checkVariable = (name: string): void => {
    if (!variables.has(name)) throw DocumentFault.at(binding.node, `there is no variable "${name}"`);
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

/** An operation with `@event` can be run for an event: one of a hirer, open to machines, whose variables it has. */
function checkEvents({ events, roles, bindings }: OperationDirectives, variables: Judged['variables']): void {
  events.forEach(({ type, variables: members, line }, index) => {
    const unknown = [...members.keys()].find((name) => !variables.has(name));
    const isAgain = events.findIndex((other) => other.type === type) < index;
    const faults = [
      bindings.some(({ kind }) => kind === 'none') &&
        '@event needs the hirer of the event: @hirer(none: true) has none',
      roles && !roles.includes(MACHINE_ROLE) && '@event needs @role to name "machine"',
      isAgain && `@event is given twice for "${type}"`,
      unknown !== undefined && `there is no variable "${unknown}"`,
    ];
    for (const fault of faults) if (fault) throw new DocumentFault(fault, line);
  });
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

/** True for a field that can belong to a hirer. */
export function isOwned({ name }: FieldNode): boolean {
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
