import {
  Kind,
  print,
  visit,
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { Place } from '../confine/ownership.js';
import { argumentsOf } from './directive-schema.js';
import { DocumentFault } from './document-fault.js';

/** How an operation is tied to the checked hirer; one form each (docs/registered-operations.md, ADR 0017). */
export type HirerBinding =
  /** The variable, or a member of it, is set to the hirer. */
  | { readonly kind: 'variable'; readonly variable: Place; readonly node: DirectiveNode }
  /** Every value there in the answer must be the hirer. */
  | { readonly kind: 'path'; readonly path: Place; readonly node: DirectiveNode }
  /**
   * Each value at these paths must be the hirer; if there is none, the stored event that a variable names must be its.
   */
  | {
      readonly kind: 'anyPath';
      readonly paths: readonly Place[];
      /** Variable that holds the id of an event. */
      readonly event: string | undefined;
      readonly node: DirectiveNode;
    }
  /** Another registered query must first prove that the object belongs to the hirer. */
  | {
      readonly kind: 'query';
      readonly query: string;
      /** Variable of the query → place in the variables of this operation. */
      readonly variables: ReadonlyMap<string, Place>;
      /** True if the place may be empty, or hold several objects: the query then runs for each of them. */
      readonly optional: boolean;
      readonly node: DirectiveNode;
    }
  /** It is of no hirer; only machines may call it. */
  | { readonly kind: 'none'; readonly node: DirectiveNode };

/** A type of event with which the answer of an operation is delivered (`@event`). */
export interface EventTrigger {
  readonly type: string;
  /** Variable of the operation → member of the event. */
  readonly variables: ReadonlyMap<string, string>;
  /** Of the directive, in the file. */
  readonly line: number;
}

/** Largest value of a variable, or of a member of one, that asks for a number of items. */
export interface Ceiling {
  readonly place: Place;
  readonly max: number;
  /**
   * True if lists are allowed there and on the way; the text does not say which members of an input object are lists.
   */
  readonly allowsLists: boolean;
}

/** The meaning of the directives of a registered operation. */
export interface OperationDirectives {
  readonly token: 'browser' | 'partner';
  readonly bindings: readonly HirerBinding[];
  readonly cache: { readonly seconds: number; readonly shared: boolean } | undefined;
  readonly ceilings: readonly Ceiling[];
  /** Any of them may call the operation; undefined where every role that has a scope may. */
  readonly roles: readonly string[] | undefined;
  /** The types of events that its answer goes with. */
  readonly events: readonly EventTrigger[];
}

/** Of variables, arguments and members that ask for a number of items. */
const PAGE_NAMES: ReadonlySet<string> = new Set(['first', 'last', 'limit']);
const PAGE_MAX = 100;

/**
 * Reads the directives of a document that is valid by {@link DIRECTIVE_SCHEMA}.
 * @throws DocumentFault
 */
export function readDirectives(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): OperationDirectives {
  const nodesOf = (name: string): DirectiveNode[] =>
    (operation.directives ?? []).filter((node) => node.name.value === name);
  const [token, cache, role] = ['token', 'cache', 'role'].map((name) => nodesOf(name)[0]);
  const { use = 'browser' } = token ? argumentsOf(token) : {};
  const { seconds, shared = false } = cache ? argumentsOf(cache) : {};
  const { any } = role ? argumentsOf(role) : {};
  if (role && (any as string[]).length === 0) {
    throw DocumentFault.at(role, '@role needs any: a list of roles');
  }
  return {
    token: use as OperationDirectives['token'],
    bindings: nodesOf('hirer').map(readBinding),
    cache: cache && { seconds: seconds as number, shared: shared as boolean },
    ceilings: readCeilings(operation, pageVariablesOf(document)),
    roles: any as string[] | undefined,
    events: nodesOf('event').map((node) => {
      const { type, variables = new Map() } = argumentsOf(node) as unknown as EventTrigger;
      return { type, variables, line: node.loc?.startToken.line ?? 1 };
    }),
  };
}

const FORMS = ['variable', 'path', 'anyPath', 'query', 'none'] as const;

/** The arguments of `@hirer`, by the types of the schema. */
interface HirerArguments {
  readonly variable: Place;
  readonly path: Place;
  readonly anyPath: readonly Place[];
  readonly event: string | undefined;
  readonly query: string;
  readonly variables: ReadonlyMap<string, Place>;
  readonly optional: boolean | undefined;
  readonly none: boolean;
}

function readBinding(node: DirectiveNode): HirerBinding {
  const given = argumentsOf(node) as unknown as HirerArguments;
  const refuseUnless = (isRight: boolean, message: string): void => {
    if (!isRight) throw DocumentFault.at(node, message);
  };
  const forms = FORMS.filter((name) => given[name] !== undefined);
  const kind = forms[0]!;
  refuseUnless(forms.length === 1, '@hirer needs exactly one of variable, path, anyPath, query and none');
  const hasVariables = given.variables !== undefined;
  refuseUnless((kind === 'query') === hasVariables, '@hirer(query:) and its variables go together');
  refuseUnless(kind === 'query' || given.optional === undefined, '@hirer(optional:) is for a query');
  refuseUnless(kind === 'anyPath' || given.event === undefined, '@hirer(event:) is for anyPath');
  switch (kind) {
    case 'variable':
      return { kind, variable: given.variable, node };
    case 'path':
      return { kind, path: given.path, node };
    case 'anyPath': {
      const { anyPath: paths, event } = given;
      refuseUnless(paths.length > 0, '@hirer(anyPath:) is a list of paths');
      const roots = new Set(paths.map(([root]) => root));
      refuseUnless(roots.size === 1, 'the paths of @hirer(anyPath:) must begin with the same field');
      return { kind, paths, event, node };
    }
    case 'query': {
      const { query, variables, optional = false } = given;
      refuseUnless(!optional || variables.size === 1, '@hirer(optional:) is for a single variable');
      return { kind, query, variables, optional, node };
    }
    case 'none':
      refuseUnless(given.none, '@hirer(none:) can only be true');
      return { kind, node };
    default:
      return kind satisfies never;
  }
}

/** The variables that are the value of an argument, or of a member of one, that asks for a number of items. */
function pageVariablesOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  const read = ({ name, value }: ArgumentNode | ObjectFieldNode): void => {
    if (PAGE_NAMES.has(name.value) && value.kind === Kind.VARIABLE) names.add(value.name.value);
  };
  visit(document, { Argument: read, ObjectField: read });
  return names;
}

function readCeilings(
  { variableDefinitions = [] }: OperationDefinitionNode,
  pageVariables: ReadonlySet<string>,
): Ceiling[] {
  return variableDefinitions.flatMap(({ variable, type, directives = [] }) => {
    const name = variable.name.value;
    const places = new Map<string, number>();
    for (const node of directives.filter((one) => one.name.value === 'max')) {
      const { value, path = [] } = argumentsOf(node) as { readonly value: number; readonly path?: Place };
      const key = [name, ...path].join('.');
      if (places.has(key)) throw DocumentFault.at(node, `@max is given twice for "${key}"`);
      places.set(key, value);
    }
    const isPage = PAGE_NAMES.has(name) || (pageVariables.has(name) && /^Int!?$/.test(print(type)));
    if (isPage && !places.has(name)) places.set(name, PAGE_MAX);
    return [...places].map(([key, max]) => {
      const place = key.split('.');
      return { place, max, allowsLists: place.length > 1 || isList(type) };
    });
  });
}

function isList(type: TypeNode): boolean {
  return type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));
}
