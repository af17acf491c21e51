import {
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type DirectiveNode,
  type OperationDefinitionNode,
} from 'graphql';
import { DocumentFault } from './document-fault.js';

/** How an operation is tied to the checked hirer; one form each (contract, Registered operations). */
export type HirerBinding =
  /** The variable, or a member of it, is set to the hirer. */
  | { readonly kind: 'variable'; readonly variable: readonly string[]; readonly node: DirectiveNode }
  /** Every value there in the answer must be the hirer. */
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly node: DirectiveNode }
  /** Another registered query must prove before that the object is the hirer's. */
  | {
      readonly kind: 'query';
      readonly query: string;
      /** Variable of the query → place in the variables of this operation. */
      readonly variables: ReadonlyMap<string, readonly string[]>;
      readonly node: DirectiveNode;
    };

/** What the directives of a registered operation say. */
export interface OperationDirectives {
  readonly token: 'browser' | 'partner';
  readonly bindings: readonly HirerBinding[];
  readonly cache: { readonly seconds: number; readonly shared: boolean } | undefined;
  /** Largest value of variables that say how many are wanted. */
  readonly ceilings: ReadonlyMap<string, number>;
}

/** The directives that are ours, and never leave the service. */
export const OWN_DIRECTIVES: ReadonlySet<string> = new Set(['hirer', 'token', 'cache', 'max']);

const CACHE_SECONDS_MAX = 300;
const PAGE_VARIABLES: ReadonlySet<string> = new Set(['first', 'last', 'limit']);
const PAGE_MAX = 100;
const PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/** @throws DocumentFault */
export function readDirectives(operation: OperationDefinitionNode): OperationDirectives {
  const own = (operation.directives ?? []).filter(({ name }) => OWN_DIRECTIVES.has(name.value));
  return {
    token: readToken(own),
    bindings: own.filter(({ name }) => name.value === 'hirer').map(readBinding),
    cache: readCache(operation, own),
    ceilings: readCeilings(operation),
  };
}

function readToken(directives: readonly DirectiveNode[]): 'browser' | 'partner' {
  const [node, again] = directives.filter(({ name }) => name.value === 'token');
  if (!node) return 'browser';
  if (again) throw DocumentFault.at(again, '@token stands twice');
  const { use } = readArguments(node, ['use']);
  if (use === 'PARTNER') return 'partner';
  if (use === 'BROWSER') return 'browser';
  throw DocumentFault.at(node, '@token needs use: PARTNER or use: BROWSER');
}

function readBinding(node: DirectiveNode): HirerBinding {
  const { variable, path, query, variables } = readArguments(node, [
    'variable',
    'path',
    'query',
    'variables',
  ]);
  if ([variable, path, query].filter((form) => form !== undefined).length !== 1)
    throw DocumentFault.at(node, '@hirer needs exactly one of variable, path and query');
  if ((query === undefined) !== (variables === undefined))
    throw DocumentFault.at(node, '@hirer(query:) and its variables go together');
  if (variable !== undefined)
    return { kind: 'variable', variable: readPath(node, 'variable', variable), node };
  if (path !== undefined) return { kind: 'path', path: readPath(node, 'path', path), node };
  if (typeof query !== 'string' || typeof variables !== 'object' || variables === null)
    throw DocumentFault.at(node, '@hirer(query:) is the name of a query, variables an object of paths');
  const places = Object.entries(variables).map(
    ([name, place]) => [name, readPath(node, `variables.${name}`, place)] as const,
  );
  return { kind: 'query', query, variables: new Map(places), node };
}

function readPath(node: DirectiveNode, name: string, value: unknown): readonly string[] {
  if (typeof value === 'string' && PATH.test(value)) return value.split('.');
  throw DocumentFault.at(node, `@hirer(${name}:) must be names joined by dots`);
}

function readCache(
  operation: OperationDefinitionNode,
  directives: readonly DirectiveNode[],
): OperationDirectives['cache'] {
  const node = directives.find(({ name }) => name.value === 'cache');
  if (!node) return undefined;
  const { seconds, shared = false } = readArguments(node, ['seconds', 'shared']);
  if (operation.operation !== OperationTypeNode.QUERY) throw DocumentFault.at(node, '@cache is for queries');
  const fits = typeof seconds === 'number' && seconds >= 1 && seconds <= CACHE_SECONDS_MAX;
  if (!fits || typeof shared !== 'boolean')
    throw DocumentFault.at(
      node,
      `@cache needs seconds: 1 to ${CACHE_SECONDS_MAX}, and may have shared: true`,
    );
  return { seconds, shared };
}

function readCeilings(operation: OperationDefinitionNode): Map<string, number> {
  const ceilings = new Map<string, number>();
  for (const { variable, directives } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const node = directives?.find((directive) => directive.name.value === 'max');
    if (PAGE_VARIABLES.has(name)) ceilings.set(name, PAGE_MAX);
    if (!node) continue;
    const { value } = readArguments(node, ['value']);
    if (typeof value !== 'number') throw DocumentFault.at(node, '@max needs value: a number');
    ceilings.set(name, value);
  }
  return ceilings;
}

function readArguments(
  node: DirectiveNode | ConstDirectiveNode,
  known: readonly string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, value } of node.arguments ?? []) {
    if (!known.includes(name.value))
      throw DocumentFault.at(name, `@${node.name.value} has no argument "${name.value}"`);
    if (value.kind === Kind.VARIABLE)
      throw DocumentFault.at(name, `@${node.name.value}(${name.value}:) cannot be a variable`);
    values[name.value] = valueFromASTUntyped(value);
  }
  return values;
}
