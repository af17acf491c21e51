import {
  OperationTypeNode,
  visit,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
} from 'graphql';
import { MACHINE_ROLE } from '../../http/end-user.js';
import { argumentsOf } from './directive-schema.js';
import { DocumentFault } from './parse-document.js';
import { isTied, readBinding, type HirerBinding, type OperationParts } from './hirer-binding.js';
import { isAttachment, responseKey } from './selection-tree.js';

/** A type of event with which the answer of an operation is delivered (`@event`). */
export interface EventTrigger {
  readonly type: string;
  /** Variable of the operation → member of the event. */
  readonly variables: ReadonlyMap<string, string>;
  /** Of the directive, in the file. */
  readonly line: number;
}

/** The meaning of the directives of a registered operation. */
export interface OperationDirectives {
  readonly token: 'browser' | 'partner';
  readonly bindings: readonly HirerBinding[];
  /** Any of them may call the operation; undefined where every role that has a scope may. */
  readonly roles: readonly string[] | undefined;
  /** The types of events that its answer goes with. */
  readonly events: readonly EventTrigger[];
}

/** Fields that belong to no hirer (interface 5.1; introspection). */
const UNOWNED_FIELDS: ReadonlySet<string> = new Set(['version', '__typename']);

/** True for a field that can belong to a hirer. */
export function isOwned({ name }: FieldNode): boolean {
  return !UNOWNED_FIELDS.has(name.value);
}

/**
 * The meaning of the directives of an operation that {@link DIRECTIVE_SCHEMA} accepts, and what no schema can say: places
 * lead to variables and leaves, what must be of the hirer is tied to it, and what goes with an event can be run for one.
 * @throws DocumentFault
 */
export function readDirectives(parts: OperationParts): OperationDirectives {
  const { operation, document, variables } = parts;
  const nodesOf = (name: string): readonly DirectiveNode[] =>
    (operation.directives ?? []).filter((node) => node.name.value === name);
  const [tokenNode, roleNode] = ['token', 'role'].map((name) => nodesOf(name)[0]);
  const token = tokenNode && argumentsOf(tokenNode)['use'] === 'PARTNER' ? 'partner' : 'browser';
  const roles = roleNode && (argumentsOf(roleNode)['any'] as readonly string[]);
  if (roles?.length === 0) throw DocumentFault.at(roleNode!, '@role needs any: a list of roles');
  const bindings = nodesOf('hirer').map((node) => readBinding(node, parts));
  const [, again] = bindings.filter((one) => one.kind === 'anyPath' && one.event);
  if (again) throw DocumentFault.at(again.node, '@hirer(event:) is given twice');
  const unbound = bindings.find(({ kind }) => kind === 'none')?.node;
  if (unbound) checkUnbound(unbound, bindings.length, token, roles);
  const attachment = firstAttachment(document);
  if (token === 'partner') checkConfinement('@token(use: PARTNER)', operation, bindings, parts);
  if (attachment) checkConfinement('@attachment', attachment, bindings, parts);
  return {
    token,
    bindings,
    roles,
    events: readEvents(nodesOf('event'), unbound, roles, variables),
  };
}

/** An operation of no hirer is for machines only, and needs the partner token, because a browser token is for one hirer. */
function checkUnbound(
  node: DirectiveNode,
  bindings: number,
  token: OperationDirectives['token'],
  roles: OperationDirectives['roles'],
): void {
  const isForMachines = roles?.every((role) => role === MACHINE_ROLE) === true;
  if (bindings > 1) throw DocumentFault.at(node, '@hirer(none:) goes with no other @hirer');
  if (!isForMachines) {
    throw DocumentFault.at(node, '@hirer(none: true) needs @role(any: ["machine"]), and no other role');
  }
  if (token !== 'partner') throw DocumentFault.at(node, '@hirer(none: true) needs @token(use: PARTNER)');
}

/** Where the partner token is used, or attachments are sealed, every root field must be tied to the hirer. */
function checkConfinement(
  directive: string,
  node: ASTNode,
  bindings: readonly HirerBinding[],
  { operation, roots }: OperationParts,
): void {
  if (bindings.length === 0) {
    throw DocumentFault.at(node, `${directive} needs a @hirer that ties the operation to the hirer`);
  }
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const loose = roots.find((field) => isOwned(field) && !isTied(field, bindings, isQuery));
  if (loose) throw DocumentFault.at(loose, `no @hirer ties "${responseKey(loose)}" to the hirer`);
}

/** An operation with `@event` can be run for an event: one of a hirer, open to machines, whose variables it has. */
function readEvents(
  nodes: readonly DirectiveNode[],
  unbound: DirectiveNode | undefined,
  roles: OperationDirectives['roles'],
  declared: OperationParts['variables'],
): EventTrigger[] {
  const types = new Set<string>();
  return nodes.map((node) => {
    const { type, variables } = argumentsOf(node) as unknown as EventTrigger;
    const unknown = [...variables.keys()].find((name) => !declared.has(name));
    const faults = [
      unbound && '@event needs the hirer of the event: @hirer(none: true) has none',
      roles && !roles.includes(MACHINE_ROLE) && '@event needs @role to name "machine"',
      types.has(type) && `@event is given twice for "${type}"`,
      unknown !== undefined && `there is no variable "${unknown}"`,
    ];
    for (const fault of faults) if (fault) throw DocumentFault.at(node, fault);
    types.add(type);
    return { type, variables, line: node.loc?.startToken.line ?? 1 };
  });
}

function firstAttachment(document: DocumentNode): FieldNode | undefined {
  let attachment: FieldNode | undefined;
  visit(document, {
    Field: (field) => {
      if (isAttachment(field)) attachment ??= field;
    },
  });
  return attachment;
}
