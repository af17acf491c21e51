/**
 * Apollo Client 4 for the service and the upstream.
 * @packageDocumentation
 */
import { ApolloClient, InMemoryCache, type ApolloCache, type ApolloLink } from '@apollo/client';
import { BffLink, type ApolloBffContext } from './apollo-link.js';
import type { Bff, HirerSession } from './bff.js';
import type { SendOptions } from './graphql.js';
import { anotherHirer } from './not-supported.js';

export type { ApolloBffContext };

/** How {@link createApolloClient} makes clients; other members are passed to `ApolloClient`. */
export interface ApolloOptions
  extends Pick<SendOptions, 'scope' | 'via'>, Omit<ApolloClient.Options, 'cache' | 'link'> {
  /** The hirer of the client; the current one by default. */
  readonly hirerId?: string | undefined;
  /**
   * Makes the cache; called for each hirer. By default one that keeps each answer under its own root field, since the
   * identifiers of the interface are objects, not texts (4.5).
   */
  readonly cache?: (hirerId: string | undefined) => ApolloCache;
  /** Puts links before the one that sends: `(last) => ApolloLink.from([retry, last])`. */
  readonly link?: (last: ApolloLink) => ApolloLink;
  /** Collects the operations of one turn of the event loop into arrays of at most this many; 1, the default, sends each alone. */
  readonly batchMax?: number;
}

type ClientOf = (hirerId: string | undefined) => ApolloClient;

const families = new WeakMap<ApolloClient, ClientOf>();

/**
 * An `ApolloClient` for one hirer, in the present session and language: when either changes (`bff.onChange`), make a new
 * one; in React, `useHirerClient` does. The clients of other hirers, each with a cache of its own, are kept beside it:
 * `context.bff.hirerId` of `query` and `mutate` names one, and {@link forHirer} gives it to a view. When the session ends,
 * the caches are emptied, everything on view is replaced by the error `SESSION_ENDED`, and nothing else is answered from
 * then on.
 */
export function createApolloClient(bff: Bff, options: ApolloOptions = {}): ApolloClient {
  const { session, language } = bff;
  const { hirerId: own = session.hirerId, scope, via, batchMax = 1, ...rest } = options;
  const { cache = makeCache, link = (last: ApolloLink) => last, ...others } = rest;
  const clients = new Map<string | undefined, ApolloClient>();
  const clientOf: ClientOf = (hirerId) => {
    const known = clients.get(hirerId);
    if (known) return known;
    const last = new BffLink(bff, { scope, via, batchMax, hirerId, session, language });
    const client = new ApolloClient({ ...others, cache: cache(hirerId), link: link(last) });
    clients.set(hirerId, client);
    families.set(client, clientOf);
    endWith(session, client);
    passOthersOn(client, (named) => clientOf(named ?? hirerId), session);
    return client;
  };
  return clientOf(own);
}

/**
 * The client of another hirer beside the one given, for views: `useQuery(QUERY, { client: forHirer(client, hirerId) })`.
 * The same each time.
 * @throws TypeError for a client that {@link createApolloClient} has not made
 */
export function forHirer(client: ApolloClient, hirerId: string): ApolloClient {
  const clientOf = families.get(client);
  if (!clientOf) throw new TypeError('This client was not made by createApolloClient.');
  return clientOf(hirerId);
}

function makeCache(): InMemoryCache {
  return new InMemoryCache({ dataIdFromObject: () => undefined });
}

/** Empties the cache when the session ends; the queries on view are sent again, which the link refuses. */
function endWith({ signal }: HirerSession, client: ApolloClient): void {
  const end = (): void => {
    void client.cache.reset(); // at once; what follows comes later in this turn of the event loop
    client.resetStore().catch(() => undefined); // each query reports its own error
  };
  signal.addEventListener('abort', end, { once: true });
}

/** Sends with options that may have a context. */
type Send = (options?: { readonly context?: unknown }) => unknown;

/**
 * Passes on an operation that names another hirer before the client looks into its cache, which does not distinguish hirers. A view
 * cannot be passed on, because React's hooks share it by document and variables, and its context may change later: it is
 * refused.
 */
function passOthersOn(client: ApolloClient, clientOf: ClientOf, { signal }: HirerSession): void {
  const { defaultOptions } = client;
  const watchQuery = client.watchQuery.bind(client);
  for (const name of ['query', 'mutate'] as const) {
    const send = client[name] as Send;
    const passOn: Send = async (options) => {
      signal.throwIfAborted();
      const other = clientOf(namedHirer(options?.context ?? defaultOptions[name]?.context));
      return other === client ? send(options) : (other[name] as Send)(options);
    };
    Object.assign(client, { [name]: passOn });
  }
  const refuseOthers = (context: unknown): void => {
    if (clientOf(namedHirer(context)) === client) return;
    throw anotherHirer('Give the view the client of that hirer: { client: forHirer(client, hirerId) }.');
  };
  client.watchQuery = (options) => {
    refuseOthers(options.context ?? defaultOptions.watchQuery?.context);
    const observable = watchQuery(options);
    guard(observable as unknown as Guarded, refuseOthers);
    return observable;
  };
}

/** The methods that change the options of a view later. */
type Guarded = Record<'reobserve' | 'applyOptions' | 'fetchMore', Send>;

function guard(observable: Guarded, check: (context: unknown) => void): void {
  for (const name of ['reobserve', 'applyOptions', 'fetchMore'] as const) {
    const method = observable[name].bind(observable);
    observable[name] = (options) => {
      check(options?.context);
      return method(options);
    };
  }
}

function namedHirer(context: unknown): string | undefined {
  return (context as { bff?: ApolloBffContext } | undefined)?.bff?.hirerId;
}
