import { graphqlError } from './errors.js';

/** Arguments of a list that comes in pages. */
export interface PageArgs {
  readonly after?: string | null;
  readonly before?: string | null;
  readonly first?: number | null;
  readonly last?: number | null;
}

/** How one kind of list is paged. */
export interface PageRules<T> {
  readonly sizeMax: number;
  /** Text that identifies the item; the cursor encodes it. */
  readonly keyOf: (item: T) => string;
  /** Members of the edge beside cursor and node. */
  readonly edge?: (item: T) => object;
  readonly node: (item: T) => object;
  /** Index of the first item behind a key, where keys can be compared; items are looked up otherwise. */
  readonly placeAfter?: (items: readonly T[], key: string) => number;
}

const SIZE_DEFAULT = 10;

/** One page of a list as a connection, with opaque cursors and no more items than the documented maximum. */
export function pageOf<T>(items: readonly T[], args: PageArgs, rules: PageRules<T>): object {
  const { first, last } = sizesOf(args, rules.sizeMax);
  const placeAfter = rules.placeAfter ?? lookUp(rules.keyOf);
  const from = args.after == null ? 0 : placeAfter(items, readCursor(args.after));
  const to = args.before == null ? items.length : placeAfter(items, readCursor(args.before)) - 1;
  const start = last === undefined ? from : Math.max(from, to - last);
  const end = first === undefined ? to : Math.min(to, from + first);
  const edges = items.slice(start, Math.max(start, end)).map((item) => ({
    cursor: makeCursor(rules.keyOf(item)),
    node: () => rules.node(item),
    ...rules.edge?.(item),
  }));
  return {
    edges,
    pageInfo: {
      // An empty page after a cursor keeps it, so that a reader that saves endCursor stays where it is.
      startCursor: edges[0]?.cursor ?? args.after ?? null,
      endCursor: edges.at(-1)?.cursor ?? args.after ?? null,
      hasPreviousPage: start > 0,
      hasNextPage: end < items.length,
    },
  };
}

function sizesOf(
  { first, last, before, after }: PageArgs,
  sizeMax: number,
): { first?: number; last?: number } {
  if (first != null && last != null) {
    throw graphqlError('BAD_USER_INPUT', 'first and last exclude each other.');
  }
  const size = first ?? last ?? SIZE_DEFAULT;
  if (size < 1 || size > sizeMax) {
    throw graphqlError('BAD_USER_INPUT', `The size of a page is from 1 to ${String(sizeMax)}.`);
  }
  const isBackward = last != null || (first == null && before != null && after == null);
  return isBackward ? { last: size } : { first: size };
}

function lookUp<T>(keyOf: (item: T) => string): (items: readonly T[], key: string) => number {
  return (items, key) => {
    const index = items.findIndex((item) => keyOf(item) === key);
    if (index === -1) throw badCursor();
    return index + 1;
  };
}

function makeCursor(key: string): string {
  return Buffer.from(`c1:${key}`).toString('base64url');
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('c1:')) throw badCursor();
  return text.slice(3);
}

function badCursor(): Error {
  return graphqlError('BAD_USER_INPUT', 'The cursor is not one of this list.');
}
