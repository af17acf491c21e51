import {
  Kind,
  OperationTypeNode,
  print,
  visit,
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { isRole } from '../../hirer-access/membership.js';
import { readDirectiveArguments } from './directive-arguments.js';
import { readEvents, type EventTrigger } from './event-triggers.js';
import { DocumentFault } from './document-fault.js';
import { readBinding, readPlace, type HirerBinding } from './hirer-binding.js';

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

/** Largest value of a variable, or of a member of one, that asks for a number of items. */
export interface Ceiling {
  readonly place: readonly string[];
  readonly max: number;
  /**
   * True if lists are allowed there and on the way; the text does not say which members of an input object are lists.
   */
  readonly allowsLists: boolean;
}

/** The directives that are ours, and never leave the service. */
export const OWN_DIRECTIVES: ReadonlySet<string> = new Set([
  'hirer',
  'token',
  'cache',
  'max',
  'role',
  'attachment',
  'event',
]);

const CACHE_SECONDS_MAX = 300;
/** Of variables, arguments and members that ask for a number of items. */
const PAGE_NAMES: ReadonlySet<string> = new Set(['first', 'last', 'limit']);
const PAGE_MAX = 100;

/**
 * @param document of the operation, with its fragments
 * @throws DocumentFault
 */
export function readDirectives(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): OperationDirectives {
  const own = (operation.directives ?? []).filter(({ name }) => OWN_DIRECTIVES.has(name.value));
  return {
    token: readToken(own),
    bindings: own.filter(({ name }) => name.value === 'hirer').map(readBinding),
    cache: readCache(operation, own),
    ceilings: readCeilings(operation, pageVariablesOf(document)),
    roles: readRoles(own),
    events: readEvents(own),
  };
}

function findOnly(directives: readonly DirectiveNode[], wanted: string): DirectiveNode | undefined {
  const [node, again] = directives.filter(({ name }) => name.value === wanted);
  if (again) throw DocumentFault.at(again, `@${wanted} is given twice`);
  return node;
}

function readRoles(directives: readonly DirectiveNode[]): readonly string[] | undefined {
  const node = findOnly(directives, 'role');
  if (!node) return undefined;
  const { any } = readDirectiveArguments(node, ['any']);
  if (Array.isArray(any) && any.length > 0 && any.every(isRole)) return any;
  throw DocumentFault.at(node, '@role needs any: a list of roles');
}

function readToken(directives: readonly DirectiveNode[]): 'browser' | 'partner' {
  const node = findOnly(directives, 'token');
  if (!node) return 'browser';
  const { use } = readDirectiveArguments(node, ['use']);
  if (use === 'PARTNER') return 'partner';
  if (use === 'BROWSER') return 'browser';
  throw DocumentFault.at(node, '@token needs use: PARTNER or use: BROWSER');
}

function readCache(
  operation: OperationDefinitionNode,
  directives: readonly DirectiveNode[],
): OperationDirectives['cache'] {
  const node = findOnly(directives, 'cache');
  if (!node) return undefined;
  const { seconds, shared = false } = readDirectiveArguments(node, ['seconds', 'shared']);
  if (operation.operation !== OperationTypeNode.QUERY) throw DocumentFault.at(node, '@cache is for queries');
  const fits = typeof seconds === 'number' && seconds >= 1 && seconds <= CACHE_SECONDS_MAX;
  if (!fits || typeof shared !== 'boolean') {
    throw DocumentFault.at(
      node,
      `@cache needs seconds: 1 to ${CACHE_SECONDS_MAX}, and may have shared: true`,
    );
  }
  return { seconds, shared };
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
    for (const node of directives.filter((directive) => directive.name.value === 'max')) {
      const { place, max } = readCeiling(node, name);
      const key = place.join('.');
      if (places.has(key)) throw DocumentFault.at(node, `@max is given twice for "${key}"`);
      places.set(key, max);
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

function readCeiling(node: DirectiveNode, variable: string): Pick<Ceiling, 'place' | 'max'> {
  const { value, path } = readDirectiveArguments(node, ['value', 'path']);
  if (!Number.isInteger(value) || (value as number) < 1) {
    throw DocumentFault.at(node, '@max needs value: a whole number from 1');
  }
  const below = path === undefined ? [] : readPlace(node, 'max(path:)', path);
  return { place: [variable, ...below], max: value as number };
}
