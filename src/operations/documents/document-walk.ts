import {
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { clip } from '../../errors/bff-error.js';
import { BREAKS_MAX, describeInlined, type ArgumentUse } from './operation-rules.js';

/** Fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The size of a selection with its fragments spread out. */
interface Size {
  readonly depth: number;
  /** One counts each time its fragment is spread, and so does one of `__typename`. */
  readonly aliases: number;
  /** Fields of the selection itself, those that fragments bring included. */
  readonly fields: number;
}

/**
 * The size of an operation, and how it uses arguments. Each fragment is walked once, so that the work does not grow with
 * the size that the operation unfolds to.
 * @param fragments those of a text that GraphQL's own rules accept: each is there, and none spreads itself
 */
export function walkOperation(
  operation: OperationDefinitionNode,
  fragments: Fragments,
): Size & { readonly arguments: ArgumentUse } {
  const walk = new Walk(operation.operation, fragments);
  const size = walk.selection(operation.selectionSet, false);
  const optional = new Map<string, string>();
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (type.kind !== Kind.NON_NULL_TYPE) optional.set(name, (!defaultValue && walk.uses.get(name)) || '');
  }
  return { ...size, arguments: { inlined: walk.inlined, optional } };
}

class Walk {
  readonly inlined = new Map<string, number>();
  /** Where each variable is used: `events(after:)`. */
  readonly uses = new Map<string, string>();
  private readonly measured = new Map<string, Size>();

  constructor(
    private readonly type: string,
    private readonly fragments: Fragments,
  ) {}

  /** @param isIntrospection there are no rules for its arguments */
  selection({ selections }: SelectionSetNode, isIntrospection: boolean): Size {
    let [depth, aliases, fields] = [0, 0, 0];
    for (const node of selections) {
      let size: Size;
      if (node.kind === Kind.FIELD) {
        size = this.field(node, isIntrospection || node.name.value.startsWith('__'));
      } else if (node.kind === Kind.FRAGMENT_SPREAD) {
        size = this.fragment(node.name.value, isIntrospection);
      } else {
        size = this.selection(node.selectionSet, isIntrospection);
      }
      depth = Math.max(depth, size.depth);
      aliases += size.aliases;
      fields += size.fields;
    }
    return { depth, aliases, fields };
  }

  private field(field: FieldNode, isIntrospection: boolean): Size {
    if (!isIntrospection) this.readArguments(field);
    const { selectionSet, alias } = field;
    const below = selectionSet ? this.selection(selectionSet, isIntrospection) : { depth: 0, aliases: 0 };
    return { depth: below.depth + 1, aliases: below.aliases + (alias ? 1 : 0), fields: 1 };
  }

  private fragment(name: string, isIntrospection: boolean): Size {
    const known = this.measured.get(name);
    if (known) return known;
    const size = this.selection(this.fragments.get(name)!.selectionSet, isIntrospection);
    this.measured.set(name, size);
    return size;
  }

  private readArguments(field: FieldNode): void {
    for (const { name, value } of field.arguments ?? []) {
      const [fieldName, argument] = [clip(field.name.value), clip(name.value)];
      if (value.kind === Kind.VARIABLE) {
        this.uses.set(value.name.value, `${fieldName}(${argument}:)`);
      } else if (this.inlined.size < BREAKS_MAX) {
        const sentence = describeInlined(this.type, fieldName, argument, value);
        if (!this.inlined.has(sentence)) this.inlined.set(sentence, value.loc?.startToken.line ?? 0);
      }
    }
  }
}
