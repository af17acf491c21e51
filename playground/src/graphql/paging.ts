import { parseJson } from '../http/route.js';
import { invalid } from './errors.js';

/** Arguments of a list that comes in pages. */
export interface PageArgs {
  readonly after?: string | null;
  readonly before?: string | null;
  readonly first?: number | null;
  readonly last?: number | null;
}

/** How one kind of list is paged. */
export interface PageRules<T> {
  /** Names the list: its cursors are refused by every other one. */
  readonly list: string;
  readonly sizeMax: number;
  /** Text that identifies the item, its `id` by default; the cursor encodes it. */
  readonly keyOf?: (item: T) => string;
  /** Members of the edge beside cursor and node. */
  readonly edge?: (item: T) => object;
  /** Read forwards, it does not say what comes before; read backwards, not what comes after (as upstream). */
  readonly isOneWay?: boolean;
  /** The place of a key where keys can be compared, also when its item is not in the list; looked up otherwise. */
  readonly placeOf?: (items: readonly T[], key: string) => Place;
}

/** Where a key stands in a list: how many items come before it, and how many up to and including it. */
export interface Place {
  readonly before: number;
  readonly through: number;
}

/** The list that a paginated field is read as, alone or with rules of its own. */
export type List<T> = readonly T[] | ({ readonly items: readonly T[] } & Partial<PageRules<T>>);

/** A connection of the schema. */
export interface Page {
  readonly edges: readonly object[];
  readonly pageInfo: object;
}

const SIZE_DEFAULT = 10;

/** One page of a list as a connection, with opaque cursors and no more items than the documented maximum. */
export function pageOf<T>(list: List<T>, args: PageArgs, defaults: PageRules<T>): Page {
  const { items, ...own } = 'items' in list ? list : { items: list };
  const rules = { ...defaults, ...own };
  const { first, last } = sizesOf(args, rules.sizeMax);
  const from = args.after == null ? 0 : findPlace(items, args.after, 'after', rules).through;
  const to = args.before == null ? items.length : findPlace(items, args.before, 'before', rules).before;
  const start = last === undefined ? from : Math.max(from, to - last);
  const end = first === undefined ? to : Math.min(to, from + first);
  const edges = items.slice(start, Math.max(start, end)).map((item) => ({
    cursor: makeCursor(rules.list, keyOf(item, rules)),
    node: item,
    ...rules.edge?.(item),
  }));
  return {
    edges,
    pageInfo: {
      // An empty page after a cursor keeps it, so that a reader that saves endCursor stays where it is.
      startCursor: edges[0]?.cursor ?? args.after ?? null,
      endCursor: edges.at(-1)?.cursor ?? args.after ?? null,
      hasPreviousPage: start > 0 && !(rules.isOneWay === true && args.last == null),
      hasNextPage: end < items.length && !(rules.isOneWay === true && args.last != null),
    },
  };
}

function sizesOf(
  { first, last, before, after }: PageArgs,
  sizeMax: number,
): { first?: number; last?: number } {
  if (first != null && last != null) throw invalid('last', 'cannot be combined with first');
  const size = first ?? last ?? SIZE_DEFAULT;
  if (size < 1 || size > sizeMax) {
    throw invalid(last == null ? 'first' : 'last', `must be from 1 to ${String(sizeMax)}`);
  }
  const isBackward = last != null || (first == null && before != null && after == null);
  return isBackward ? { last: size } : { first: size };
}

function findPlace<T>(items: readonly T[], cursor: string, field: string, rules: PageRules<T>): Place {
  const key = readCursor(rules.list, cursor, field);
  if (rules.placeOf !== undefined) return rules.placeOf(items, key);
  const index = items.findIndex((item) => keyOf(item, rules) === key);
  if (index === -1) throw invalid(field, 'must be a cursor of an item that the list still has');
  return { before: index, through: index + 1 };
}

function keyOf<T>(item: T, rules: PageRules<T>): string {
  return rules.keyOf?.(item) ?? (item as { readonly id: string }).id;
}

function makeCursor(list: string, key: string): string {
  return Buffer.from(JSON.stringify([list, key])).toString('base64url');
}

/** The key in a cursor of this list. */
function readCursor(list: string, cursor: string, field: string): string {
  const value = parseJson(Buffer.from(cursor, 'base64url'))?.value;
  const [of, key] = Array.isArray(value) ? (value as unknown[]) : [];
  if (of !== list || typeof key !== 'string') throw invalid(field, 'must be a cursor of this list');
  return key;
}
