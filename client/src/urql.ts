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
import { filter, make, merge, mergeMap, pipe, share, takeUntil, type Source } from 'wonka';
import type { Bff } from './bff.js';
import { execute, failureOf, type Operation as BffOperation, type SendOptions } from './graphql.js';

/** How operations are sent; an operation's `context.bff` may set them too, and `documentId`. */
export type UrqlBffOptions = Pick<SendOptions, 'hirerId' | 'scope' | 'via'> & {
  /** Sends the name or hash of a registered operation instead of the text. */
  readonly documentId?: string;
};

/**
 * A urql client with a cache for the current hirer and language alone: when either changes (`bff.onChange`), make a new
 * one. After a change of hirer this one answers nothing but `SESSION_ENDED`.
 */
export function createUrqlClient(bff: Bff, options: UrqlBffOptions = {}): Client {
  return new Client({
    url: `${bff.options.url}/graphql`,
    exchanges: [cacheExchange, bffExchange(bff, options)],
  });
}

/**
 * The last exchange of a client, in place of `fetchExchange`, for the session and language in which it is made. An answer
 * without data has a `BffError` as its `error.networkError`.
 */
export function bffExchange(bff: Bff, options: UrqlBffOptions = {}): Exchange {
  const { session, language } = bff;
  return ({ forward }) =>
    (operations) => {
      const shared = share(operations);
      const isOurs = ({ kind }: Operation): boolean => kind === 'query' || kind === 'mutation';
      const results = pipe(
        shared,
        filter(isOurs),
        mergeMap((operation) => {
          const isEnd = ({ kind, key }: Operation): boolean => kind === 'teardown' && key === operation.key;
          return pipe(
            answer(bff, operation, { ...options, session, language }),
            takeUntil(pipe(shared, filter(isEnd))),
          );
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
function answer(
  bff: Bff,
  operation: Operation,
  options: SendOptions & UrqlBffOptions,
): Source<OperationResult> {
  const { documentId, ...send } = { ...options, ...(operation.context['bff'] as UrqlBffOptions | undefined) };
  const variables = operation.variables as Record<string, unknown>;
  const sent: BffOperation =
    documentId === undefined
      ? { query: stringifyDocument(operation.query), variables }
      : { documentId, variables };
  return make((observer) => {
    const controller = new AbortController();
    const end = (result: OperationResult): void => {
      if (controller.signal.aborted) return;
      observer.next(result);
      observer.complete();
    };
    execute(bff, sent, { ...send, signal: controller.signal }).then(
      (result) => {
        const failure = failureOf(result);
        if (failure) return end(makeErrorResult(operation, failure));
        const { data, error, errors, extensions } = result;
        const answered = { data, ...(error && { errors }), extensions } as Parameters<typeof makeResult>[1];
        end(makeResult(operation, answered));
      },
      (error: unknown) => end(makeErrorResult(operation, error as Error)),
    );
    return () => controller.abort();
  });
}
