/**
 * The client of `graphql-request`, for the service and the upstream.
 * @packageDocumentation
 */
import { GraphQLClient } from 'graphql-request';
import type { Bff } from './bff.js';
import { graphqlFetch } from './fetch.js';
import type { SendOptions } from './graphql.js';

/**
 * A `GraphQLClient` that sends through {@link Bff}; see `graphqlFetch`. Requests without any data reject with `BffError`,
 * partial data with the client's own `ClientError` unless its `errorPolicy` is `all`.
 */
export function createGraphqlClient(
  bff: Bff,
  options: Omit<SendOptions, 'signal'> & { readonly errorPolicy?: 'none' | 'ignore' | 'all' } = {},
): GraphQLClient {
  const { errorPolicy = 'none', ...send } = options;
  const url = `${bff.options.url}/graphql`;
  return new GraphQLClient(url, { fetch: graphqlFetch(bff, send), errorPolicy });
}
