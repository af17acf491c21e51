import {
  Kind,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { Place } from '../answers/ownership.js';
import type { Fragments } from '../documents/document-walk.js';
import { argumentsOf } from './directive-schema.js';
import { DocumentFault } from './parse-document.js';
import { fieldsOf, leadsToLeaf, responseKey, type SelectionTree } from './selection-tree.js';

/** A variable as the text of its operation declares it. */
export interface VariableDefinition {
  readonly type: TypeNode;
  readonly hasDefault: boolean;
}

/** The parts of an operation by which its directives are judged. */
export interface OperationParts {
  readonly operation: OperationDefinitionNode;
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  readonly variables: ReadonlyMap<string, VariableDefinition>;
  readonly selection: SelectionTree;
  /** Its root fields, those that fragments bring included. */
  readonly roots: readonly FieldNode[];
}

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

const FORMS = ['variable', 'path', 'anyPath', 'query', 'none'] as const;
/** Fields of a connection (Relay) that list its objects. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['edges', 'nodes']);

/** The meaning of one `@hirer`, whose places lead to variables and leaves of the operation. @throws DocumentFault */
export function readBinding(node: DirectiveNode, parts: OperationParts): HirerBinding {
  const { variables: declared, selection } = parts;
  const given = argumentsOf(node) as unknown as HirerArguments;
  const refuseUnless = (isRight: boolean, message: string): void => {
    if (!isRight) throw DocumentFault.at(node, message);
  };
  const checkVariable = (name: string): void =>
    refuseUnless(declared.has(name), `there is no variable "${name}"`);
  const checkPath = (path: Place): void =>
    refuseUnless(leadsToLeaf(selection, path), `the operation does not select "${path.join('.')}"`);
  const forms = FORMS.filter((name) => given[name] !== undefined);
  const kind = forms[0]!;
  refuseUnless(forms.length === 1, '@hirer needs exactly one of variable, path, anyPath, query and none');
  const hasVariables = given.variables !== undefined;
  refuseUnless((kind === 'query') === hasVariables, '@hirer(query:) and its variables go together');
  refuseUnless(kind === 'query' || given.optional === undefined, '@hirer(optional:) is for a query');
  refuseUnless(kind === 'anyPath' || given.event === undefined, '@hirer(event:) is for anyPath');
  switch (kind) {
    case 'variable':
      checkVariable(given.variable[0]!);
      return { kind, variable: given.variable, node };
    case 'path':
      checkPath(given.path);
      return { kind, path: given.path, node };
    case 'anyPath': {
      const { anyPath: paths, event } = given;
      if (event !== undefined) checkVariable(event);
      paths.forEach(checkPath);
      const fault = anyPathFault(paths, event, parts);
      if (fault) throw DocumentFault.at(node, fault);
      return { kind, paths, event, node };
    }
    case 'query': {
      const { query, variables, optional = false } = given;
      refuseUnless(!optional || variables.size === 1, '@hirer(optional:) is for a single variable');
      for (const place of variables.values()) checkVariable(place[0]!);
      return { kind, query, variables, optional, node };
    }
    case 'none':
      refuseUnless(given.none, '@hirer(none:) can only be true');
      return { kind, node };
    default:
      return kind satisfies never;
  }
}

/** Paths of which one proves the object: they are those of one object, of which nothing but its own event may vouch. */
function anyPathFault(
  paths: readonly Place[],
  event: string | undefined,
  parts: OperationParts,
): string | undefined {
  const [root] = new Set(paths.map(([first]) => first!));
  if (root === undefined) return '@hirer(anyPath:) is a list of paths';
  if (!paths.every(([first]) => first === root)) {
    return 'the paths of @hirer(anyPath:) must begin with the same field';
  }
  const page = paths.find((path) => isPage(path, parts));
  if (page) {
    const place = `"${page.slice(0, 2).join('.')}"`;
    return `@hirer(anyPath:) proves one object, and ${place} lists several: use @hirer(path:), which proves each`;
  }
  const isVouched = event === undefined || isAskedBy(event, root, parts);
  return isVouched ? undefined : `@hirer(event:) is for the field event(id: $${event})`;
}

/** True if a path leads through a page of objects below its root field, of which one proves nothing of another. */
function isPage([root, below]: Place, { roots, fragments }: OperationParts): boolean {
  const selections = roots
    .filter((field) => responseKey(field) === root)
    .flatMap(({ selectionSet }) => selectionSet ?? []);
  const fields = [...fieldsOf(selections, fragments)].filter((field) => responseKey(field) === below);
  return fields.some(({ name }) => PAGE_FIELDS.has(name.value));
}

/** A stored event says whose that event is and nothing else, so its variable must be what the proven field is asked by. */
function isAskedBy(variable: string, root: string, { roots }: OperationParts): boolean {
  return roots
    .filter((field) => responseKey(field) === root)
    .every(({ name: field, arguments: given = [] }) =>
      given.some(
        ({ name, value }) =>
          field.value === 'event' &&
          name.value === 'id' &&
          value.kind === Kind.VARIABLE &&
          value.name.value === variable,
      ),
    );
}

/** True if one of the bindings ties a root field to the hirer: that of a mutation before it runs. */
export function isTied(field: FieldNode, bindings: readonly HirerBinding[], isQuery: boolean): boolean {
  return bindings.some((binding) => {
    switch (binding.kind) {
      case 'none':
        return true;
      case 'path':
        return isQuery && binding.path[0] === responseKey(field);
      case 'anyPath':
        return isQuery && binding.paths[0]![0] === responseKey(field);
      case 'variable':
        return usesVariable(field, binding.variable[0]!);
      case 'query': // an optional one proves nothing where its place is empty
        return (
          !binding.optional &&
          [...binding.variables.values()].some(([variable]) => usesVariable(field, variable!))
        );
      default:
        return binding satisfies never;
    }
  });
}

function usesVariable(field: FieldNode, variable: string): boolean {
  let isUsed = false;
  for (const argument of field.arguments ?? []) {
    visit(argument, {
      Variable: ({ name }) => {
        isUsed ||= name.value === variable;
      },
    });
  }
  return isUsed;
}
