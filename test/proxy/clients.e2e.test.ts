import { ApolloClient, type ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { serverAudits } from 'graphql-http';
import { BANKSIA, startProxyStack, type ProxyStack } from './proxy-stack.js';

const NAME = 'query Name($id: String!) { hiringOrganization(id: $id) { name } }';
const VARIABLES = { id: BANKSIA };
const DATA = { hiringOrganization: { name: 'Banksia Health Group' } };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let stack: ProxyStack;
let headers: Record<string, string>;
let uri: string;

/** The text that Apollo Client sends: it adds __typename to selections, as its manifest generator does. */
const APOLLO_TEXT = print(gql`
  query Registered($id: String!) {
    hiringOrganization(id: $id) {
      name
      __typename
    }
  }
`);

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));
  const operations = [{ id: sha256(APOLLO_TEXT), name: 'Registered', type: 'query', body: APOLLO_TEXT }];
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations }),
  );
  stack = await startProxyStack({ OPERATIONS_DIR: folder });
  headers = { authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA };
  uri = `${stack.url}/graphql`;
});
afterAll(() => stack.close());

const apollo = (link: ApolloLink): ApolloClient => new ApolloClient({ link, cache: new InMemoryCache() });

describe('client libraries, unmodified', () => {
  test('Apollo Client with its batch link: three queries, one request, one upstream call', async () => {
    const client = apollo(new BatchHttpLink({ uri, headers, batchInterval: 10 }));
    const before = stack.calls('graphql');
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) =>
        client.query({
          query: gql(NAME.replace('Name', name)),
          variables: VARIABLES,
          fetchPolicy: 'no-cache',
        }),
      ),
    );
    for (const { data } of answers) expect(data).toMatchObject(DATA);
    expect(stack.calls('graphql') - before).toBe(1);
  });

  test('Apollo Client with persisted queries: a registered one is sent by its hash, another falls back to its text', async () => {
    const link = (sent: string[]): ApolloLink =>
      new PersistedQueryLink({ sha256 }).concat(
        new HttpLink({
          uri,
          headers,
          fetch: (url, init) => {
            sent.push(init?.body as string);
            return fetch(url, init);
          },
        }),
      );
    const registered: string[] = [];
    const one = await apollo(link(registered)).query({ query: gql(APOLLO_TEXT), variables: VARIABLES });
    expect(one.data).toMatchObject(DATA);
    expect(registered.map((body) => 'query' in JSON.parse(body))).toEqual([false]);
    const unknown: string[] = [];
    const two = await apollo(link(unknown)).query({ query: gql(NAME), variables: VARIABLES });
    expect(two.data).toMatchObject(DATA);
    expect(unknown.map((body) => 'query' in JSON.parse(body))).toEqual([false, true]);
  });

  test('urql', async () => {
    const client = new Client({
      url: uri,
      exchanges: [fetchExchange],
      fetchOptions: { headers },
      preferGetMethod: false,
    });
    const { data, error } = await client.query(NAME, VARIABLES).toPromise();
    expect([data, error]).toEqual([expect.objectContaining(DATA), undefined]);
  });

  test('graphql-request', async () => {
    const client = new GraphQLClient(uri, { headers });
    expect(await client.request(NAME, VARIABLES)).toEqual(DATA);
    const [batched] = await client.batchRequests([{ document: NAME, variables: VARIABLES }]);
    expect(batched).toMatchObject({ data: DATA });
  });
});

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => uri,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, ...headers } }),
  });

  /** Coercion is the upstream's, and so is the status of its answer. */
  const isHeld = (name: string): boolean =>
    name.startsWith('MUST') || (/^SHOULD.*graphql-response\+json/.test(name) && !name.includes('coercion'));

  test.each(audits.filter(({ name }) => isHeld(name)).map((audit) => [audit.name, audit] as const))(
    '%s',
    async (_, audit) => {
      expect(await audit.fn()).toMatchObject({ status: 'ok' });
    },
  );
});
