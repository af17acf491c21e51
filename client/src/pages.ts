import type { Bff, HirerSession } from './bff.js';
import { throwIfAborted } from './read-json.js';

/** For `request` and its like: what a page is loaded with. */
export interface PageRequest {
  /** The session in which the list was begun. */
  readonly session: HirerSession;
  readonly signal: AbortSignal;
}

/** How a list that has a cursor is paged: the members of a connection that matter. */
export interface CursorPage {
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

/** A list of items, the largest number of them that one request may ask for, and that request. */
export interface PagesOptions<Item, Page> {
  readonly items: readonly Item[];
  /** The operation's documented limit. */
  readonly limit: number;
  readonly load: (items: readonly Item[], request: PageRequest) => Promise<Page>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Pages over items that the caller has, such as identifiers: `limit` of them in each request, in order (interface 4.4).
 * They belong to the session in which they are begun: when that ends, the next one is `SESSION_ENDED`. After an error,
 * begin again with the items that are left.
 */
export function pages<Item, Page>(bff: Bff, options: PagesOptions<Item, Page>): AsyncGenerator<Page, void> {
  const { items, limit, load, signal } = options;
  return run(bff, signal, async function* (request) {
    for (let from = 0; from < items.length; from += limit) {
      yield await load(items.slice(from, from + limit), request);
    }
  });
}

/**
 * Pages of a list that has a cursor, in a session as {@link pages}; `after` is undefined for the first one, and so left
 * out of the variables. After an error, begin again at the `endCursor` of the last page.
 */
export function cursorPages<Page extends CursorPage>(
  bff: Bff,
  load: (after: string | undefined, request: PageRequest) => Promise<Page>,
  { after, signal }: { readonly after?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Page, void> {
  return run(bff, signal, async function* (request) {
    for (let cursor = after, isMore = true; isMore;) {
      const page = await load(cursor, request);
      yield page;
      cursor = page.pageInfo.endCursor ?? undefined;
      isMore = page.pageInfo.hasNextPage;
    }
  });
}

/** Gives out pages while the session is the one of now, and for no later one. */
async function* run<Page>(
  { session }: Bff,
  own: AbortSignal | undefined,
  load: (request: PageRequest) => AsyncGenerator<Page, void>,
): AsyncGenerator<Page, void> {
  const signal = own ? AbortSignal.any([session.signal, own]) : session.signal;
  throwIfAborted(signal);
  for await (const page of load({ session, signal })) {
    throwIfAborted(signal);
    yield page;
    throwIfAborted(signal);
  }
}
