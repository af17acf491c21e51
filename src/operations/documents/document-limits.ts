import {
  Kind,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';

/** How large the text of an operation may be. */
export type DocumentLimits = Pick<Config, 'DOCUMENT_TOKENS_MAX' | 'DOCUMENT_DEPTH_MAX'>;

/** Fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const ROOT_FIELDS_MAX = 30;
const ALIASES_MAX = 60;

interface Size {
  readonly depth: number;
  readonly aliases: number;
  /** Fields of the selection itself, those that fragments bring included. */
  readonly fields: number;
}

/**
 * Checks the operation with its fragments spread out, and returns those fragments. An alias counts each time its fragment
 * is spread, and so does one of `__typename`; each fragment is measured once, so that the work does not grow with
 * the size that the operation unfolds to.
 * @param fragments those of a text that GraphQL's own rules accept: each is there, and none spreads itself
 * @throws BffError `invalid_request`
 */
export function checkDocumentLimits(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  limits: DocumentLimits,
): readonly FragmentDefinitionNode[] {
  const measure = new Measure(fragments);
  const size = measure.selection(operation.selectionSet);
  refuseAbove(size.fields, ROOT_FIELDS_MAX, 'root fields');
  refuseAbove(size.depth, limits.DOCUMENT_DEPTH_MAX, 'levels');
  refuseAbove(size.aliases, ALIASES_MAX, 'aliases');
  return [...measure.reached.keys()];
}

function refuseAbove(count: number, max: number, what: string): void {
  if (count > max) {
    throw new BffError('invalid_request', { detail: `The text has more than ${max} ${what}.` });
  }
}

class Measure {
  /** Fragments that were measured. */
  readonly reached = new Map<FragmentDefinitionNode, Size>();

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
    const fragment = this.fragments.get(name)!;
    const known = this.reached.get(fragment);
    if (known) return known;
    const size = this.selection(fragment.selectionSet);
    this.reached.set(fragment, size);
    return size;
  }
}

const NOTHING: Size = { depth: 0, aliases: 0, fields: 0 };
