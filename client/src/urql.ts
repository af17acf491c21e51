/**
 * urql for the service and the upstream.
 * @packageDocumentation
 */
import {
  cacheExchange,
  Client,
  makeErrorResult,
  makeResult,
  stringifyDocument,
  type Exchange,
  type Operation,
  type OperationResult,
} from '@urql/core';
import { filter, make, map, merge, mergeMap, pipe, share, takeUntil, tap, type Source } from 'wonka';
import type { Bff, HirerSession } from './bff.js';
import type { BffError } from './bff-error.js';
import { documentIdOf } from './document.js';
import { execute, failureOf, type Operation as BffOperation, type SendOptions } from './graphql.js';
import { anotherHirer, noSubscriptions } from './not-supported.js';

/** The contents of an operation's `context.bff`, such as `{ documentId: 'PositionOpenings' }`. */
export interface UrqlBffContext extends Pick<SendOptions, 'scope' | 'via'> {
  /** Asks for another hirer: its own client answers, with its own cache. */
  readonly hirerId?: string | undefined;
  /** Sends the name or hash of a registered operation instead of the text. Generated documents carry theirs. */
  readonly documentId?: string | undefined;
}

/** How {@link createUrqlClient} makes clients. */
export interface UrqlOptions extends Pick<SendOptions, 'scope' | 'via'> {
  /** The hirer of the client; the current one by default. */
  readonly hirerId?: string | undefined;
  /**
   * The exchanges before the one that sends; `[cacheExchange]` by default. Called for each hirer, so that none shares a
   * cache with another: name the storage of one that is kept after the hirer.
   */
  readonly exchanges?: (hirerId: string | undefined) => Exchange[];
}

type OpenOptions = SendOptions & { readonly session: HirerSession };

/**
 * A urql client for one hirer, in the present session and language: when either changes (`bff.onChange`), make a new
 * one. An operation whose `context.bff` names another hirer is answered by a client of that hirer, which is kept beside
 * this one. When the session ends, everything on view is replaced by the error `SESSION_ENDED`, and nothing else is
 * answered from then on, not from the cache either. An answer without data has a `BffError` as its
 * `error.networkError`.
 */
export function createUrqlClient(bff: Bff, options: UrqlOptions = {}): Client {
  const { session, language } = bff;
  const { exchanges = () => [cacheExchange], hirerId: own = session.hirerId, ...send } = options;
  const clients = new Map<string | undefined, Client>();
  const clientOf = (hirerId: string | undefined): Client => {
    const known = clients.get(hirerId);
    if (known) return known;
    const last = bffExchange(bff, { ...send, hirerId, session, language });
    const url = `${bff.options.url}/graphql`;
    const client = new Client({ url, exchanges: [sessionExchange(session), ...exchanges(hirerId), last] });
    clients.set(hirerId, client);
    return passOthersOn(client, (operation) => clientOf(contextOf(operation).hirerId ?? hirerId));
  };
  return clientOf(own);
}

function contextOf({ context }: Operation): UrqlBffContext {
  return (context['bff'] as UrqlBffContext | undefined) ?? {};
}

/** Passes on an operation that names another hirer before the client looks at its key, which holds no hirer. */
function passOthersOn(client: Client, clientOf: (operation: Operation) => Client): Client {
  const execute = client.executeRequestOperation.bind(client);
  const reexecute = client.reexecuteOperation.bind(client);
  client.executeRequestOperation = (operation) => {
    const other = clientOf(operation);
    if (other === client) return execute(operation);
    const context = { ...operation.context };
    delete context._instance;
    return other.executeRequestOperation(other.createRequestOperation(operation.kind, operation, context));
  };
  client.reexecuteOperation = (operation) => {
    const other = clientOf(operation);
    if (other === client) reexecute(operation);
    else other.reexecuteOperation(operation);
  };
  return client;
}

/** The first exchange: once the session has ended, every open or new operation ends with `SESSION_ENDED`. */
function sessionExchange({ signal }: HirerSession): Exchange {
  const ended = (operation: Operation): OperationResult =>
    makeErrorResult(operation, signal.reason as BffError);
  return ({ forward }) =>
    (operations) => {
      const open = new Map<number, Operation>();
      const isRefused = ({ kind }: Operation): boolean => signal.aborted && kind !== 'teardown';
      const shared = pipe(
        operations,
        tap((operation) => {
          if (operation.kind === 'query') open.set(operation.key, operation);
          if (operation.kind === 'teardown') open.delete(operation.key);
        }),
        share,
      );
      const answered = pipe(
        shared,
        filter((operation) => !isRefused(operation)),
        forward,
        map((result) => (signal.aborted ? ended(result.operation) : result)),
      );
      const onEnd = make<OperationResult>((observer) => {
        const end = (): void => [...open.values()].forEach((operation) => observer.next(ended(operation)));
        signal.addEventListener('abort', end);
        return () => signal.removeEventListener('abort', end);
      });
      return merge([answered, pipe(shared, filter(isRefused), map(ended)), onEnd]);
    };
}

/** The last exchange, instead of `fetchExchange`: it sends for one hirer, in one session and language. */
function bffExchange(bff: Bff, options: OpenOptions): Exchange {
  return ({ forward }) =>
    (operations) => {
      const shared = share(operations);
      const isOurs = ({ kind }: Operation): boolean => kind !== 'teardown';
      const results = pipe(
        shared,
        filter(isOurs),
        mergeMap((operation) => {
          const isEnd = ({ kind, key }: Operation): boolean => kind === 'teardown' && key === operation.key;
          return pipe(answer(bff, operation, options), takeUntil(pipe(shared, filter(isEnd))));
        }),
      );
      const others = pipe(
        shared,
        filter((operation) => !isOurs(operation)),
        forward,
      );
      return merge([results, others]);
    };
}

/** The answer to one operation; a subscriber that leaves aborts it. */
function answer(bff: Bff, operation: Operation, options: OpenOptions): Source<OperationResult> {
  return make((observer) => {
    const controller = new AbortController();
    const end = (result: OperationResult): void => {
      if (controller.signal.aborted) return;
      observer.next(result);
      observer.complete();
    };
    send(bff, operation, { ...options, signal: controller.signal }).then(end, (error: unknown) =>
      end(makeErrorResult(operation, error as Error)),
    );
    return () => controller.abort();
  });
}

async function send(bff: Bff, operation: Operation, options: OpenOptions): Promise<OperationResult> {
  const { hirerId = options.hirerId, documentId, scope, via } = contextOf(operation);
  if (operation.kind === 'subscription') throw noSubscriptions();
  if (hirerId !== options.hirerId) throw anotherHirer();
  const id = documentId ?? documentIdOf(operation.query);
  const variables = operation.variables as Record<string, unknown>;
  const sent: BffOperation =
    id === undefined
      ? { query: stringifyDocument(operation.query), variables }
      : { documentId: id, variables };
  const result = await execute(bff, sent, { ...options, ...(scope && { scope }), ...(via && { via }) });
  const failure = failureOf(result);
  if (failure) throw failure;
  const { data, error, errors, extensions } = result;
  const answered = { data, ...(error && { errors }), extensions } as Parameters<typeof makeResult>[1];
  return makeResult(operation, answered);
}
