import { gql } from '@apollo/client';
import { createApolloClient } from '../src/apollo.js';
import type { Bff } from '../src/client.js';
import { createGraphqlClient } from '../src/graphql-request.js';
import { createUrqlClient } from '../src/urql.js';

/** Sends a text and returns its data, or throws what the client tells of a failure. */
export type Ask = (text: string, variables: object) => Promise<Record<string, { name: string }>>;

/** The clients that links are for, unmodified, in Node and in Chromium. */
export const CLIENTS = {
  'Apollo Client': (bff: Bff): Ask => {
    const client = createApolloClient(bff, { defaultOptions: NO_CACHE });
    return async (text, variables) =>
      (await client.query({ query: gql(text), variables })).data as Record<string, { name: string }>;
  },
  urql: (bff: Bff): Ask => {
    const client = createUrqlClient(bff);
    return async (text, variables) => {
      const { data, error } = await client
        .query<Record<string, { name: string }>>(text, variables, { requestPolicy: 'network-only' })
        .toPromise();
      if (error) throw error.networkError ?? error;
      return data!;
    };
  },
  'graphql-request': (bff: Bff): Ask => {
    const client = createGraphqlClient(bff);
    return (text, variables) => client.request(text, variables);
  },
} as const;

/** Name of a client. */
export type ClientName = keyof typeof CLIENTS;

const NO_CACHE = { query: { fetchPolicy: 'network-only' } } as const;
