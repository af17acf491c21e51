import {
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type TypeNode,
  type ValueNode,
} from 'graphql';
import type { Place } from '../answers/ownership.js';
import type { Fragments } from '../documents/document-walk.js';
import { argumentsOf } from './directive-schema.js';
import { DocumentFault, variablesIn } from './parse-document.js';
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

/** The arguments of `@hirer`, by the types of the schema; a document gives some of them. */
interface HirerArguments {
  /** Is set to the hirer, or a member of it is. */
  readonly variable: Place;
  /** Every value there in the answer must be the hirer. */
  readonly path: Place;
  /** Each value at these paths must be the hirer; if there is none, a stored event must be its. */
  readonly anyPath: readonly Place[];
  /** Variable that holds the id of that event. */
  readonly event: string;
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

/** A binding that the answer itself must prove. */
export type ProofBinding = Form<'path'> | Form<'anyPath', 'event'>;

/** How an operation is tied to the checked hirer; one form each (docs/registered-operations.md, ADR 0017). */
export type HirerBinding = Form<'variable'> | ProofBinding | QueryBinding | Form<'none'>;

const FORMS = ['variable', 'path', 'anyPath', 'query', 'none'] as const;
/** Fields of a connection (Relay) that list its objects. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(['edges', 'nodes']);

/** The meaning of one `@hirer`, whose places lead to variables and leaves of the operation. @throws DocumentFault */
export function readBinding(node: DirectiveNode, parts: OperationParts): HirerBinding {
  const given = argumentsOf(node) as Partial<HirerArguments>;
  const { variable, path, anyPath, event, query, variables, optional, none } = given;
  const refuseIf = (isWrong: boolean, message: string): void => {
    if (isWrong) throw DocumentFault.at(node, message);
  };
  const [kind, ...others] = FORMS.filter((name) => given[name] !== undefined);
  const isOne = kind !== undefined && others.length === 0;
  refuseIf(!isOne, '@hirer needs exactly one of variable, path, anyPath, query and none');
  refuseIf((query === undefined) !== !variables, '@hirer(query:) and its variables go together');
  refuseIf(optional !== undefined && !variables, '@hirer(optional:) is for a query');
  refuseIf(optional === true && variables!.size !== 1, '@hirer(optional:) is for a single variable');
  refuseIf(event !== undefined && !anyPath, '@hirer(event:) is for anyPath');
  refuseIf(none === false, '@hirer(none:) can only be true');
  const names = [variable?.[0], event, ...[...(variables?.values() ?? [])].map(([name]) => name)];
  const unknown = names.find((name) => name !== undefined && !parts.variables.has(name));
  refuseIf(unknown !== undefined, `there is no variable "${unknown}"`);
  const loose = (path ? [path] : (anyPath ?? [])).find((place) => !leadsToLeaf(parts.selection, place));
  refuseIf(loose !== undefined, `the operation does not select "${loose?.join('.')}"`);
  const fault = anyPath && anyPathFault(anyPath, event, parts);
  refuseIf(fault !== undefined, fault!);
  return { ...given, kind, node } as HirerBinding;
}

/** Paths of which one proves the object: they are those of one object, of which nothing but its own event may vouch. */
function anyPathFault(
  paths: readonly Place[],
  event: string | undefined,
  { roots, fragments }: OperationParts,
): string | undefined {
  const [root, ...others] = new Set(paths.map(([first]) => first!));
  if (root === undefined) return '@hirer(anyPath:) is a list of paths';
  if (others.length > 0) return 'the paths of @hirer(anyPath:) must begin with the same field';
  const proven = roots.filter((field) => responseKey(field) === root);
  const below = fieldsOf(
    proven.flatMap(({ selectionSet }) => selectionSet ?? []),
    fragments,
  );
  const pages = [...below].filter(({ name }) => PAGE_FIELDS.has(name.value)).map(responseKey);
  const page = paths.find(([, key]) => pages.includes(key!));
  if (page) {
    const place = `"${page.slice(0, 2).join('.')}"`;
    return `@hirer(anyPath:) proves one object, and ${place} lists several: use @hirer(path:), which proves each`;
  }
  if (event === undefined || proven.every((field) => isEvent(field, event))) return undefined;
  return `@hirer(event:) is for the field event(id: $${event})`;
}

/** A stored event says whose that event is and nothing else, so its variable must be what the proven field is asked by. */
function isEvent({ name: field, arguments: given = [] }: FieldNode, variable: string): boolean {
  const isIt = (value: ValueNode): boolean => value.kind === Kind.VARIABLE && value.name.value === variable;
  return field.value === 'event' && given.some(({ name, value }) => name.value === 'id' && isIt(value));
}

/** True if one of the bindings ties a root field to the hirer: that of a mutation before it runs. */
export function isTied(field: FieldNode, bindings: readonly HirerBinding[], isQuery: boolean): boolean {
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
