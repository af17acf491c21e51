import type { DirectiveNode } from 'graphql';
import { isObject } from '../../json/is-object.js';
import type { Place } from '../confine/values-at.js';
import { readDirectiveArguments } from './directive-arguments.js';
import { DocumentFault } from './document-fault.js';

/** How an operation is tied to the checked hirer; one form each (docs/proxy.md, ADR 0017). */
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

const FORMS = ['variable', 'path', 'anyPath', 'query', 'none'] as const;
const ARGUMENTS = [...FORMS, 'event', 'variables', 'optional'];
/** Names joined by dots. Names that begin with two underscores are introspection's, and `__proto__` is JavaScript's. */
const PLACE = /^(?!__)[A-Za-z_]\w*(\.(?!__)[A-Za-z_]\w*)*$/;

/**
 * Reads a `@hirer` directive.
 * @throws DocumentFault
 */
export function readBinding(node: DirectiveNode): HirerBinding {
  const given = readDirectiveArguments(node, ARGUMENTS);
  const [form, again] = FORMS.filter((name) => given[name] !== undefined);
  if (!form || again) {
    throw DocumentFault.at(node, '@hirer needs exactly one of variable, path, anyPath, query and none');
  }
  if ((form === 'query') !== (given['variables'] !== undefined)) {
    throw DocumentFault.at(node, '@hirer(query:) and its variables go together');
  }
  if (form !== 'query' && given['optional'] !== undefined) {
    throw DocumentFault.at(node, '@hirer(optional:) is for a query');
  }
  if (form !== 'anyPath' && given['event'] !== undefined) {
    throw DocumentFault.at(node, '@hirer(event:) is for anyPath');
  }
  switch (form) {
    case 'variable':
      return { kind: form, variable: readPlace(node, 'hirer(variable:)', given[form]), node };
    case 'path':
      return { kind: form, path: readPlace(node, 'hirer(path:)', given[form]), node };
    case 'anyPath':
      return readAnyPath(node, given);
    case 'query':
      return readQuery(node, given);
    case 'none':
      if (given[form] !== true) throw DocumentFault.at(node, '@hirer(none:) can only be true');
      return { kind: form, node };
    default:
      return form satisfies never;
  }
}

function readAnyPath(node: DirectiveNode, { anyPath, event }: Record<string, unknown>): HirerBinding {
  if (!Array.isArray(anyPath) || anyPath.length === 0) {
    throw DocumentFault.at(node, '@hirer(anyPath:) is a list of paths');
  }
  const paths = anyPath.map((path) => readPlace(node, 'hirer(anyPath:)', path));
  if (new Set(paths.map(([root]) => root)).size > 1) {
    throw DocumentFault.at(node, 'the paths of @hirer(anyPath:) must begin with the same field');
  }
  if (event !== undefined && (typeof event !== 'string' || !PLACE.test(event) || event.includes('.'))) {
    throw DocumentFault.at(node, '@hirer(event:) is the name of a variable');
  }
  return { kind: 'anyPath', paths, event, node };
}

function readQuery(
  node: DirectiveNode,
  { query, variables, optional = false }: Record<string, unknown>,
): HirerBinding {
  if (typeof query !== 'string' || !isObject(variables)) {
    throw DocumentFault.at(node, '@hirer(query:) is the name of a query, variables an object of paths');
  }
  const places = Object.entries(variables).map(
    ([name, place]) => [name, readPlace(node, `hirer(variables.${name}:)`, place)] as const,
  );
  if (typeof optional !== 'boolean' || (optional && places.length !== 1)) {
    throw DocumentFault.at(node, '@hirer(optional:) is true or false, and true only with a single variable');
  }
  return { kind: 'query', query, variables: new Map(places), optional, node };
}

/** @throws DocumentFault unless the value is names joined by dots */
export function readPlace(node: DirectiveNode, argument: string, value: unknown): Place {
  if (typeof value === 'string' && PLACE.test(value)) return value.split('.');
  throw DocumentFault.at(node, `@${argument} must be names joined by dots`);
}
