/**
 * The client of `graphql-request`, for the service and the upstream.
 * @packageDocumentation
 */
import { GraphQLClient } from 'graphql-request';
import type { Bff } from './bff.js';
import { documentIdOf } from './document.js';
import { graphqlFetch } from './fetch.js';
import type { SendOptions } from './graphql.js';

/**
 * A `GraphQLClient` that sends through {@link Bff}; see `graphqlFetch`. Requests without any data reject with `BffError`,
 * partial data with the client's own `ClientError` unless its `errorPolicy` is `all`. A generated document is sent by the
 * name that it carries.
 */
export function createGraphqlClient(
  bff: Bff,
  options: Omit<SendOptions, 'signal'> & { readonly errorPolicy?: 'none' | 'ignore' | 'all' } = {},
): GraphQLClient {
  const { errorPolicy = 'none', ...send } = options;
  const url = `${bff.options.url}/graphql`;
  const client = new GraphQLClient(url, { fetch: graphqlFetch(bff, send), errorPolicy });
  for (const method of ['request', 'batchRequests'] as const) {
    const ask = client[method].bind(client) as (...values: unknown[]) => unknown;
    Object.assign(client, {
      [method]: (first: unknown, ...others: unknown[]) => ask(named(first), ...others),
    });
  }
  return client;
}

/** The argument with names in place of generated documents, of which the client would only send the text. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named);
  if (typeof value !== 'object' || value === null) return value;
  const { document, documents } = value as { document?: unknown; documents?: unknown };
  if (document !== undefined) return { ...value, document: named(document) };
  if (documents !== undefined) return { ...value, documents: named(documents) };
  return documentIdOf(value) ?? value;
}
