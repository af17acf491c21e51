import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  type ApolloLink,
} from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange, type Exchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { ClientError, GraphQLClient } from 'graphql-request';

/** How a page calls the service: all that a test may vary. */
export interface Call {
  /** Of `/graphql`. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly query: string;
  readonly variables: Record<string, unknown>;
  /** The headers that Apollo's client awareness sends; other clients send the headers themselves. */
  readonly awareness?: { readonly name: string; readonly version: string } | undefined;
}

/** The part of an answer that the page's own code sees. */
export interface Seen {
  readonly data?: unknown;
  /** Name of the error that the client gives. */
  readonly kind?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly reason?: unknown;
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: unknown; readonly reason?: unknown };
}

function seen(error: unknown, [first]: readonly GraphqlError[] = []): Seen {
  const { name, message } = error as Error;
  if (!first) return { kind: name, message };
  const { code, reason } = first.extensions ?? {};
  return { kind: name, message: first.message, code, reason };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** One query for each of `queries`, all at the same time. */
async function apollo(
  link: ApolloLink,
  { awareness, variables }: Call,
  queries: readonly string[],
): Promise<Seen[]> {
  const client = new ApolloClient({
    link,
    cache: new InMemoryCache(),
    ...(awareness && { clientAwareness: awareness }),
  });
  const ask = (query: string): Promise<Seen> =>
    client.query({ query: gql(query), variables, fetchPolicy: 'no-cache' }).then(
      ({ data }) => ({ data }),
      (error: unknown) => seen(error, errorsOf(error)),
    );
  return Promise.all(queries.map(ask));
}

/** A batch that was refused as a whole: Apollo's batch link keeps the answer in `result`. */
function errorsOf(error: unknown): readonly GraphqlError[] | undefined {
  if (CombinedGraphQLErrors.is(error)) return error.errors;
  return (error as { result?: { errors: GraphqlError[] }[] }).result?.[0]?.errors;
}

async function urql(
  { url, headers, query, variables }: Call,
  exchanges: Exchange[],
  options: { readonly preferGetMethod?: false } = {},
): Promise<Seen> {
  const client = new Client({ url, exchanges, fetchOptions: { headers }, ...options });
  const { data, error } = await client.query(query, variables).toPromise();
  return error ? seen(error, error.graphQLErrors) : { data: data as unknown };
}

const POST = { preferGetMethod: false } as const;

/** The functions that the test calls in the page. */
export const CLIENTS = {
  apollo: async (call: Call) =>
    (await apollo(new HttpLink({ uri: call.url, headers: call.headers }), call, [call.query]))[0]!,
  apolloBatch: (call: Call, queries: readonly string[]) =>
    apollo(new BatchHttpLink({ uri: call.url, headers: call.headers, batchInterval: 50 }), call, queries),
  apolloPersisted: async (call: Call) => {
    const link = new HttpLink({ uri: call.url, headers: call.headers });
    return (await apollo(new PersistedQueryLink({ sha256 }).concat(link), call, [call.query]))[0]!;
  },
  urql: (call: Call) => urql(call, [fetchExchange], POST),
  urqlAsItComes: (call: Call) => urql(call, [fetchExchange]),
  urqlPersisted: (call: Call) =>
    urql(call, [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange], POST),
  graphqlRequest: ({ url, headers, query, variables }: Call): Promise<Seen> =>
    new GraphQLClient(url, { headers }).request(query, variables).then(
      (data) => ({ data }),
      (error: unknown) =>
        seen(error, error instanceof ClientError ? (error.response.errors as GraphqlError[]) : undefined),
    ),
  graphqlRequestBatch: ({ url, headers, variables }: Call, queries: readonly string[]): Promise<Seen[]> =>
    new GraphQLClient(url, { headers, errorPolicy: 'all' })
      .batchRequests(queries.map((document) => ({ document, variables })))
      .then(
        (answers) =>
          (answers as { data: unknown; errors?: GraphqlError[] }[]).map(({ data, errors }) =>
            errors ? seen({ name: '', message: '' }, errors) : { data },
          ),
        (error: unknown) => [
          seen(error, error instanceof ClientError ? (error.response.errors as GraphqlError[]) : undefined),
        ],
      ),
};

Object.assign(globalThis, { CLIENTS });
