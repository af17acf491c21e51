import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { clip } from '../../errors/bff-error.js';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((node) => [node.name.value, node]));
}

/** How the text of an operation uses arguments, for the rules of interface 4.3. */
export interface ArgumentUse {
  /** Rule 1: arguments written into the text, `location(id:)`; {@link BREAKS_MAX} at most. */
  readonly inlined: ReadonlySet<string>;
  /** Variables that may be left out, and where each is used if it has no default: `events(after:)`. */
  readonly optional: ReadonlyMap<string, string | undefined>;
}

/** Most breaks that are reported for one request. */
export const BREAKS_MAX = 10;

/** The size of a selection with its fragments spread out. */
interface Size {
  readonly depth: number;
  /** One counts each time its fragment is spread, and so does one of `__typename`. */
  readonly aliases: number;
  /** Fields of the selection itself, those that fragments bring included. */
  readonly fields: number;
}

/**
 * The size of an operation, and how it uses arguments. Each fragment is walked once. `fragments` are those of a text
 * that GraphQL's own rules accept: each is there, and none spreads itself.
 */
export function walkOperation(
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  fragments: Fragments,
): Size & { readonly arguments: ArgumentUse } {
  const inlined = new Set<string>();
  const uses = new Map<string, string>();
  const measured = new Map<string, Size>();

  function readArguments(field: FieldNode): void {
    for (const { name, value } of field.arguments ?? []) {
      const use = `${clip(field.name.value)}(${clip(name.value)}:)`;
      if (value.kind === Kind.VARIABLE) uses.set(value.name.value, use);
      else if (inlined.size < BREAKS_MAX) inlined.add(use);
    }
  }

  /** @param isIntrospection there are no rules for its arguments */
  function measure({ selections }: SelectionSetNode, isIntrospection: boolean): Size {
    let [depth, aliases, fields] = [0, 0, 0];
    for (const node of selections) {
      let size: Size | undefined;
      if (node.kind === Kind.FIELD) {
        const isHidden = isIntrospection || node.name.value.startsWith('__');
        if (!isHidden) readArguments(node);
        const below = node.selectionSet ? measure(node.selectionSet, isHidden) : { depth: 0, aliases: 0 };
        size = { depth: below.depth + 1, aliases: below.aliases + (node.alias ? 1 : 0), fields: 1 };
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        size = measure(node.selectionSet, isIntrospection);
      } else {
        const name = node.name.value;
        size = measured.get(name) ?? measure(fragments.get(name)!.selectionSet, isIntrospection);
        measured.set(name, size);
      }
      depth = Math.max(depth, size.depth);
      aliases += size.aliases;
      fields += size.fields;
    }
    return { depth, aliases, fields };
  }

  const size = measure(selectionSet, false);
  const optional = new Map<string, string | undefined>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (type.kind !== Kind.NON_NULL_TYPE) optional.set(name, defaultValue ? undefined : uses.get(name));
  }
  return { ...size, arguments: { inlined, optional } };
}
