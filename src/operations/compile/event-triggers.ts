import { OperationTypeNode, type DirectiveNode, type OperationDefinitionNode } from 'graphql';
import { MACHINE_ROLE } from '../../http/end-user.js';
import { isObject } from '../../json/is-object.js';
import { readDirectiveArguments } from './directive-arguments.js';
import { DocumentFault } from './document-fault.js';

/** A type of event with which the answer of an operation is delivered (`@event`). */
export interface EventTrigger {
  readonly type: string;
  /** Variable of the operation → member of the event. */
  readonly variables: ReadonlyMap<string, string>;
  /** Of the directive, in the file. */
  readonly line: number;
}

/** The directives of an operation that decide whether it can be run for an event. */
interface EventDirectives {
  readonly events: readonly EventTrigger[];
  readonly roles: readonly string[] | undefined;
  readonly bindings: readonly { readonly kind: string }[];
}

const TYPE = /^\w{1,255}$/;
/** The name of a member; those that begin with two underscores are JavaScript's and introspection's. */
const MEMBER = /^(?!__)\w{1,255}$/;

/**
 * The `@event` directives among those of an operation.
 * @throws DocumentFault
 */
export function readEvents(directives: readonly DirectiveNode[]): readonly EventTrigger[] {
  const nodes = directives.filter(({ name }) => name.value === 'event');
  const triggers = nodes.map(readEvent);
  triggers.forEach(({ type }, index) => {
    const isAgain = triggers.slice(0, index).some((other) => other.type === type);
    if (isAgain) throw DocumentFault.at(nodes[index]!, `@event is given twice for "${type}"`);
  });
  return triggers;
}

function readEvent(node: DirectiveNode): EventTrigger {
  const { type, variables = {} } = readDirectiveArguments(node, ['type', 'variables']);
  if (typeof type !== 'string' || !TYPE.test(type)) {
    throw DocumentFault.at(node, '@event needs type: the type of an event');
  }
  const members = isObject(variables) ? Object.entries(variables) : undefined;
  if (!members?.every((entry): entry is [string, string] => MEMBER.test(String(entry[1])))) {
    throw DocumentFault.at(node, '@event(variables:) is an object of the names of members of the event');
  }
  return { type, variables: new Map(members), line: node.loc?.startToken.line ?? 1 };
}

/**
 * Checks that an operation with `@event` can be run for an event: a query of a hirer, open to machines, whose variables
 * it has.
 * @throws DocumentFault
 */
export function checkEvents(
  { events, roles, bindings }: EventDirectives,
  operation: OperationDefinitionNode,
): void {
  const [first] = events;
  if (!first) return;
  const refuse = (message: string, line = first.line): never => {
    throw new DocumentFault(message, line);
  };
  if (operation.operation !== OperationTypeNode.QUERY) refuse('@event is for queries');
  if (bindings.some(({ kind }) => kind === 'none')) {
    refuse('@event needs the hirer of the event: @hirer(none: true) has none');
  }
  if (roles && !roles.includes(MACHINE_ROLE)) refuse('@event needs @role to name "machine"');
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  for (const { variables, line } of events) {
    const unknown = [...variables.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined) refuse(`there is no variable "${unknown}"`, line);
  }
}
