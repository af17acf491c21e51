import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { GraphQLClient } from 'graphql-request';
import type { Bff } from '../src/client.js';
import { graphqlFetch } from '../src/fetch.js';

// The recipes of README.md, word for word.

const hashOf = (document: object) => (document as { __meta__?: { hash: string } }).__meta__?.hash;

export function apolloClient(bff: Bff): ApolloClient {
  const send = new HttpLink({ uri: '/graphql', fetch: graphqlFetch(bff) });
  const byHash = new PersistedQueryLink({ generateHash: (document) => hashOf(document)! });
  const isPersisted = ({ query }: ApolloLink.Operation) => hashOf(query) !== undefined;
  return new ApolloClient({
    cache: new InMemoryCache({ dataIdFromObject: () => undefined }),
    link: ApolloLink.split(isPersisted, byHash.concat(send), send),
  });
}

export function urqlClient(bff: Bff): Client {
  const byHash = persistedExchange({
    generateHash: async (_text, document) => hashOf(document) ?? '',
    enableForMutation: true,
  });
  return new Client({
    url: '/graphql',
    fetch: graphqlFetch(bff),
    exchanges: [cacheExchange, byHash, fetchExchange],
    preferGetMethod: false,
  });
}

export const graphqlRequest = (bff: Bff) =>
  new GraphQLClient(`${bff.options.url}/graphql`, { fetch: graphqlFetch(bff) });
