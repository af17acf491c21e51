import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { clip } from '../../errors/clip.js';

/** How large the text of an operation may be. */
export type DocumentLimits = Pick<Config, 'DOCUMENT_TOKENS_MAX' | 'DOCUMENT_DEPTH_MAX'>;

/** Fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const OPERATIONS_MAX = 100;
const FRAGMENTS_MAX = 500;
const ROOT_FIELDS_MAX = 30;
const ALIASES_MAX = 60;
const ARGUMENTS_MAX = 1_000;
const VARIABLES_MAX = 500;

interface Size {
  readonly depth: number;
  readonly aliases: number;
  /** Fields of the selection itself, those that fragments bring included. */
  readonly fields: number;
}

/** @throws BffError `invalid_request` for too many definitions, or two of one name: servers differ in which one they use */
export function checkDefinitions({ definitions }: DocumentNode): void {
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  checkNames(operations, OPERATIONS_MAX, 'operations');
  checkNames(fragments, FRAGMENTS_MAX, 'fragments');
}

function checkNames(definitions: DocumentNode['definitions'], max: number, what: string): void {
  refuseAbove(definitions.length, max, what);
  const names = new Set(definitions.map((node) => ('name' in node ? node.name?.value : undefined)));
  if (names.size < definitions.length) {
    throw new BffError('invalid_request', { detail: `Two ${what} of the text have the same name.` });
  }
}

/**
 * Checks the operation with its fragments spread out, and returns those fragments. An alias counts each time its fragment
 * is spread, and so does one of `__typename`; each fragment is measured once, so that the work does not grow with
 * the size that the operation unfolds to.
 * @throws BffError `invalid_request`
 */
export function checkDocumentLimits(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  limits: DocumentLimits,
): readonly FragmentDefinitionNode[] {
  refuseAbove(operation.variableDefinitions?.length ?? 0, VARIABLES_MAX, 'variables');
  const measure = new Measure(fragments);
  const size = measure.selection(operation.selectionSet);
  refuseAbove(size.fields, ROOT_FIELDS_MAX, 'root fields');
  refuseAbove(size.depth, limits.DOCUMENT_DEPTH_MAX, 'levels');
  refuseAbove(size.aliases, ALIASES_MAX, 'aliases');
  refuseAbove(measure.arguments, ARGUMENTS_MAX, 'arguments');
  return measure.reached;
}

function refuseAbove(count: number, max: number, what: string): void {
  if (count > max) {
    throw new BffError('invalid_request', { detail: `The text has more than ${max} ${what}.` });
  }
}

class Measure {
  /** Arguments of the selections that were measured, each fragment's once. */
  arguments = 0;
  /** Fragments that were measured. */
  readonly reached: FragmentDefinitionNode[] = [];
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
        this.arguments += selection.arguments?.length ?? 0;
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
    if (!fragment) {
      throw new BffError('invalid_request', { detail: `The fragment "${clip(name)}" is not defined.` });
    }
    if (this.measured.has(name)) {
      throw new BffError('invalid_request', { detail: `The fragment "${clip(name)}" spreads itself.` });
    }
    this.measured.set(name, undefined);
    const size = this.selection(fragment.selectionSet);
    this.measured.set(name, size);
    this.reached.push(fragment);
    return size;
  }
}

const NOTHING: Size = { depth: 0, aliases: 0, fields: 0 };
