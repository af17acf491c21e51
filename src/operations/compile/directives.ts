import {
  OperationTypeNode,
  visit,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { MACHINE_ROLE } from '../../http/end-user.js';
import type { Place } from '../answers/ownership.js';
import type { Fragments } from '../documents/document-walk.js';
import { argumentsOf, faultAt, variablesIn } from './parse-document.js';
import { fieldsOf, isAttachment, leadsToLeaf, responseKey, type SelectionTree } from './selection-tree.js';

interface OperationParts {
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  readonly variables: ReadonlyMap<string, VariableDefinitionNode>;
  readonly selection: SelectionTree;
  /** Its root fields, those that fragments bring included. */
  readonly roots: readonly FieldNode[];
}

/** The arguments of `@hirer`, by the types of the schema; a document gives some of them. */
interface HirerArguments {
  /** Is set to the hirer, or a member of it is. */
  readonly variable: Place;
  /** Every value there in the answer must be the hirer. */
  readonly path: Place;
  /** Each value at these paths must be the hirer, and there must be one. */
  readonly anyPath: readonly Place[];
  /** Another registered query, which must first prove that the object belongs to the hirer. */
  readonly query: string;
  /** Variable of the query → place in the variables of this operation. */
  readonly variables: ReadonlyMap<string, Place>;
  /** True if the place may be empty, or hold several objects: the query then runs for each of them. */
  readonly optional: boolean;
  /** It is of no hirer; only machines may call it. */
  readonly none: boolean;
}

/** One form, with its own arguments and those that may go with it. */
type Form<Name extends keyof HirerArguments, More extends keyof HirerArguments = never> = {
  readonly kind: Name;
  readonly node: DirectiveNode;
} & Pick<HirerArguments, Name> &
  Partial<Pick<HirerArguments, More>>;

/** A binding to a query that must prove ownership before the operation is sent. */
export type QueryBinding = Form<'query', 'optional'> & Pick<HirerArguments, 'variables'>;

/** How an operation is tied to the checked hirer; one form each (docs/registered-operations.md, ADR 0017). */
type HirerBinding = Form<'variable'> | Form<'path'> | Form<'anyPath'> | QueryBinding | Form<'none'>;

/** A type of event with which the answer of an operation is delivered (`@event`). */
export interface EventTrigger {
  readonly type: string;
  /** Variable of the operation → member of the event. */
  readonly variables: ReadonlyMap<string, string>;
  readonly node: DirectiveNode;
}

export interface OperationDirectives {
  readonly token: 'browser' | 'partner';
  readonly bindings: readonly HirerBinding[];
  /** Any of them may call the operation; undefined where every role that has a scope may. */
  readonly roles: readonly string[] | undefined;
  readonly events: readonly EventTrigger[];
}

const FORMS = ['variable', 'path', 'anyPath', 'query', 'none'] as const;
/** Fields of a connection (Relay) that list its objects. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['edges', 'nodes']);
/** Fields that belong to no hirer (interface 5.1; introspection). */
const UNOWNED_FIELDS: ReadonlySet<string> = new Set(['version', '__typename']);

/** True for a field that can belong to a hirer. */
export function isOwned({ name }: FieldNode): boolean {
  return !UNOWNED_FIELDS.has(name.value);
}

/**
 * The meaning of the directives: places lead to variables and leaves, what must be of the hirer is tied to it, and what
 * goes with an event can be run for one.
 * @throws GraphQLError
 */
export function readDirectives(parts: OperationParts): OperationDirectives {
  const nodesOf = (name: string): readonly DirectiveNode[] =>
    (parts.operation.directives ?? []).filter((node) => node.name.value === name);
  const [[tokenNode], [roleNode]] = [nodesOf('token'), nodesOf('role')];
  const token = tokenNode && argumentsOf(tokenNode)['use'] === 'PARTNER' ? 'partner' : 'browser';
  const roles = roleNode && (argumentsOf(roleNode)['any'] as readonly string[]);
  if (roles?.length === 0) throw faultAt(roleNode!, '@role needs any: a list of roles');
  const bindings = nodesOf('hirer').map((node) => readBinding(node, parts));
  const unbound = bindings.find(({ kind }) => kind === 'none')?.node;
  if (unbound) {
    // a browser token is for one hirer
    refuse(unbound, [
      bindings.length > 1 && '@hirer(none:) goes with no other @hirer',
      !roles?.every((role) => role === MACHINE_ROLE) &&
        '@hirer(none: true) needs @role(any: ["machine"]), and no other role',
      token !== 'partner' && '@hirer(none: true) needs @token(use: PARTNER)',
    ]);
  }
  if (token === 'partner') checkConfinement('@token(use: PARTNER)', parts.operation, bindings, parts);
  visit(parts.document, {
    Field: (field) => {
      if (isAttachment(field)) checkConfinement('@attachment', field, bindings, parts);
    },
  });
  return { token, bindings, roles, events: readEvents(nodesOf('event'), unbound, parts.variables) };
}

/** @throws GraphQLError for the first fault that there is */
function refuse(node: ASTNode, faults: readonly (string | false | undefined)[]): void {
  for (const fault of faults) if (fault) throw faultAt(node, fault);
}

function readBinding(node: DirectiveNode, parts: OperationParts): HirerBinding {
  const given = argumentsOf(node) as Partial<HirerArguments>;
  const { variable, path, anyPath, query, variables, optional, none } = given;
  const [kind, ...others] = FORMS.filter((name) => given[name] !== undefined);
  const names = [variable?.[0], ...[...(variables?.values() ?? [])].map(([name]) => name)];
  const unknown = names.find((name) => name !== undefined && !parts.variables.has(name));
  const loose = (path ? [path] : (anyPath ?? [])).find((place) => !leadsToLeaf(parts.selection, place));
  refuse(node, [
    (!kind || others.length > 0) && '@hirer needs exactly one of variable, path, anyPath, query and none',
    (query === undefined) !== !variables && '@hirer(query:) and its variables go together',
    optional !== undefined && !variables && '@hirer(optional:) is for a query',
    optional === true && variables?.size !== 1 && '@hirer(optional:) is for a single variable',
    none === false && '@hirer(none:) can only be true',
    unknown !== undefined && `there is no variable "${unknown}"`,
    loose && `the operation does not select "${loose.join('.')}"`,
    anyPath && anyPathFault(anyPath, parts),
  ]);
  return { ...given, kind, node } as HirerBinding;
}

/** Paths of which one proves the object: they are those of one object. */
function anyPathFault(paths: readonly Place[], { roots, fragments }: OperationParts): string | undefined {
  const [root, ...others] = new Set(paths.map(([first]) => first!));
  if (root === undefined) return '@hirer(anyPath:) is a list of paths';
  if (others.length > 0) return 'the paths of @hirer(anyPath:) must begin with the same field';
  const proven = roots.filter((field) => responseKey(field) === root);
  const selections = proven.flatMap(({ selectionSet }) => selectionSet ?? []);
  const lists = [...fieldsOf(selections, fragments)].filter(({ name }) => PAGE_FIELDS.has(name.value));
  const page = paths.find(([, key]) => lists.some((field) => responseKey(field) === key));
  if (!page) return undefined;
  const place = `"${page.slice(0, 2).join('.')}"`;
  return `@hirer(anyPath:) proves one object, and ${place} lists several: use @hirer(path:), which proves each`;
}

/** Where the partner token is used, or attachments are sealed, every root field must be tied to the hirer. */
function checkConfinement(
  directive: string,
  node: ASTNode,
  bindings: readonly HirerBinding[],
  { operation, roots }: OperationParts,
): void {
  if (bindings.length === 0) {
    throw faultAt(node, `${directive} needs a @hirer that ties the operation to the hirer`);
  }
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const loose = roots.find((field) => isOwned(field) && !isTied(field, bindings, isQuery));
  if (loose) throw faultAt(loose, `no @hirer ties "${responseKey(loose)}" to the hirer`);
}

/** True if one of the bindings ties a root field to the hirer: that of a mutation before it runs. */
function isTied(field: FieldNode, bindings: readonly HirerBinding[], isQuery: boolean): boolean {
  const used = variablesIn(field.arguments ?? []);
  return bindings.some((binding) => {
    switch (binding.kind) {
      case 'none':
        return true;
      case 'path':
        return isQuery && binding.path[0] === responseKey(field);
      case 'anyPath':
        return isQuery && binding.anyPath[0]![0] === responseKey(field);
      case 'variable':
        return used.has(binding.variable[0]!);
      case 'query': // an optional one proves nothing where its place is empty
        return !binding.optional && [...binding.variables.values()].some(([name]) => used.has(name!));
      default:
        return binding satisfies never;
    }
  });
}

/** An operation with `@event` can be run for an event: it is of a hirer, and has the variables. */
function readEvents(
  nodes: readonly DirectiveNode[],
  unbound: DirectiveNode | undefined,
  declared: OperationParts['variables'],
): EventTrigger[] {
  return nodes.map((node) => {
    const { type, variables } = argumentsOf(node) as unknown as EventTrigger;
    const unknown = [...variables.keys()].find((name) => !declared.has(name));
    refuse(node, [
      unbound && '@event needs the hirer of the event: @hirer(none: true) has none',
      unknown !== undefined && `there is no variable "${unknown}"`,
    ]);
    return { type, variables, node };
  });
}
