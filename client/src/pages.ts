import type { Bff, HirerSession } from './bff.js';

/** The arguments for loading a page. */
export interface PageRequest {
  /** Number of the page, from 0. */
  readonly index: number;
  readonly signal: AbortSignal;
  /** For `request` and its like: the session in which the run began. */
  readonly session: HirerSession;
}

/** How a list that has a cursor is paged: the members of a connection that matter. */
export interface CursorPage {
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

type LoadNext<Page> = (arrived: readonly Page[], request: PageRequest) => Promise<Page> | undefined;

/**
 * Pages that are loaded one after another, in display order (interface 4.4). Each `for await` continues where the last
 * one stopped: after an error, {@link arrived} keeps the pages received, and iterating again loads the rest, none twice. A
 * run belongs to the session in which it was made; when that ends, it fails with `SESSION_ENDED`.
 */
export class PageRun<Page> implements AsyncIterable<Page> {
  /** The pages so far, in order. */
  readonly arrived: Page[] = [];
  private readonly session: HirerSession;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    bff: Bff,
    private readonly load: LoadNext<Page>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.session = bff.session;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Page, void, undefined> {
    for (let page = await this.next(); page; page = await this.next()) yield page.page;
  }

  /** Loads one page at a time, however many callers ask. */
  private next(): Promise<{ page: Page } | undefined> {
    const next = this.last.then(() => this.loadNext());
    this.last = next.catch(() => undefined);
    return next;
  }

  private async loadNext(): Promise<{ page: Page } | undefined> {
    const { session, arrived } = this;
    const signal = this.signal ? AbortSignal.any([session.signal, this.signal]) : session.signal;
    signal.throwIfAborted();
    const loading = this.load(arrived, { index: arrived.length, signal, session });
    if (!loading) return undefined;
    const page = await loading;
    signal.throwIfAborted();
    arrived.push(page);
    return { page };
  }
}

/** A list of items, the largest number of them that one request may ask for, and that request. */
export interface PagesOptions<Item, Page> {
  readonly items: readonly Item[];
  /** The operation's documented limit. */
  readonly limit: number;
  readonly load: (items: readonly Item[], request: PageRequest) => Promise<Page>;
  readonly signal?: AbortSignal;
}

/** Pages over items that the caller has, such as identifiers: `limit` of them in each request. */
export function pages<Item, Page>(bff: Bff, options: PagesOptions<Item, Page>): PageRun<Page> {
  const { items, limit, load, signal } = options;
  const loadNext: LoadNext<Page> = (arrived, request) => {
    const from = arrived.length * limit;
    return from < items.length ? load(items.slice(from, from + limit), request) : undefined;
  };
  return new PageRun(bff, loadNext, signal);
}

/** Pages of a list that has a cursor; `after` is undefined for the first one, and so left out of the variables. */
export function cursorPages<Page extends CursorPage>(
  bff: Bff,
  load: (after: string | undefined, request: PageRequest) => Promise<Page>,
  signal?: AbortSignal,
): PageRun<Page> {
  const loadNext: LoadNext<Page> = (arrived, request) => {
    const last = arrived.at(-1)?.pageInfo;
    return last && !last.hasNextPage ? undefined : load(last?.endCursor ?? undefined, request);
  };
  return new PageRun(bff, loadNext, signal);
}
