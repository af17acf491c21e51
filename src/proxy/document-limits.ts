import {
  Kind,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { BffError } from '../errors/bff-error.js';

/** How large the text of an operation may be (`DOCUMENT_…_MAX`). */
export interface DocumentLimits {
  readonly tokensMax: number;
  readonly depthMax: number;
  readonly aliasesMax: number;
  readonly rootFieldsMax: number;
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

interface Size {
  readonly depth: number;
  readonly aliases: number;
  /** Fields of the selection itself, those that fragments bring included. */
  readonly fields: number;
}

/**
 * Checks the operation with its fragments spread out. An alias counts each time its fragment is spread, and so does one
 * of `__typename`; each fragment is measured once, so that the work does not grow with the size it unfolds to.
 * @throws BffError `invalid_request`
 */
export function checkDocumentLimits(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  limits: DocumentLimits,
): void {
  const size = new Measure(fragments).selection(operation.selectionSet);
  refuseAbove(size.fields, limits.rootFieldsMax, 'root fields');
  refuseAbove(size.depth, limits.depthMax, 'levels');
  refuseAbove(size.aliases, limits.aliasesMax, 'aliases');
}

function refuseAbove(count: number, max: number, what: string): void {
  if (count > max)
    throw new BffError('invalid_request', { detail: `The operation has more than ${max} ${what}.` });
}

class Measure {
  private readonly measured = new Map<string, Size | undefined>();

  constructor(private readonly fragments: Fragments) {}

  selection({ selections }: SelectionSetNode): Size {
    let [depth, aliases, fields] = [0, 0, 0];
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet ? this.selection(selection.selectionSet) : NOTHING;
        depth = Math.max(depth, inner.depth + 1);
        aliases += inner.aliases + (selection.alias ? 1 : 0);
        fields += 1;
        continue;
      }
      const spread =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? this.fragment(selection.name.value)
          : this.selection(selection.selectionSet);
      depth = Math.max(depth, spread.depth);
      aliases += spread.aliases;
      fields += spread.fields;
    }
    return { depth, aliases, fields };
  }

  private fragment(name: string): Size {
    const known = this.measured.get(name);
    if (known) return known;
    const fragment = this.fragments.get(name);
    if (!fragment)
      throw new BffError('invalid_request', { detail: `The fragment "${name}" is not defined.` });
    if (this.measured.has(name))
      throw new BffError('invalid_request', { detail: `The fragment "${name}" spreads itself.` });
    this.measured.set(name, undefined);
    const size = this.selection(fragment.selectionSet);
    this.measured.set(name, size);
    return size;
  }
}

const NOTHING: Size = { depth: 0, aliases: 0, fields: 0 };
