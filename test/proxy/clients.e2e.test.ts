import { ApolloClient, type ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createHash } from 'node:crypto';
import { print } from 'graphql';
import { serverAudits } from 'graphql-http';
import { folderOf } from '../support/machine.js';
import { BANKSIA, useProxyStack } from './proxy-stack.js';

const NAME = 'query Name($id: String!) { hiringOrganization(id: $id) { name } }';
const VARIABLES = { id: BANKSIA };
const DATA = { hiringOrganization: { name: 'Banksia Health Group' } };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let headers: Record<string, string>;
let uri: string;

/** The text that Apollo Client sends: it adds __typename to selections. */
const APOLLO_TEXT = print(gql`
  query Registered($id: String!) {
    hiringOrganization(id: $id) {
      name
      __typename
    }
  }
`);

const stack = useProxyStack(() => ({ OPERATIONS_DIR: folderOf({ 'registered.graphql': APOLLO_TEXT }) }));
beforeAll(() => {
  headers = { authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA };
  uri = `${stack.url}/graphql`;
});

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
});

describe('GraphQL over HTTP', () => {
  const [JSON_ONLY, NO_GET] = ['4.1: answers are application/json', '4.1: POST only'];
  /** Audits that the playground does not pass, by the interface; all are SHOULD or MAY. */
  const EXCEPTIONS: Readonly<Record<string, string>> = {
    ...Object.fromEntries(['22EB', '51FE', '556A', '74FF', '865D', '86EE'].map((id) => [id, JSON_ONLY])),
    ...Object.fromEntries(['5A70', '6A70', 'D6D5'].map((id) => [id, NO_GET])),
  };
  /** Coercion is the upstream's, and so is the status of its answer. */
  const isHeld = (name: string): boolean =>
    name.startsWith('MUST') || (/^SHOULD.*graphql-response\+json/.test(name) && !name.includes('coercion'));

  /** The audits that an endpoint fails, by their ids. */
  async function failedAt(
    url: string,
    sent: Record<string, string>,
    isAsked: (name: string) => boolean = () => true,
  ) {
    const fetchFn = (address: string, init: RequestInit = {}) =>
      fetch(address, { ...init, headers: { ...init.headers, ...sent } });
    const audits = serverAudits({ url, fetchFn }).filter(({ name }) => isAsked(name));
    expect(audits.length).toBeGreaterThan(20);
    const results = await Promise.all(audits.map(async (audit) => [audit, await audit.fn()] as const));
    return results.filter(([, { status }]) => status !== 'ok').map(([{ id, name }]) => ({ id, name }));
  }

  test('the service has every MUST, and its media type', async () => {
    expect(await failedAt(uri, headers, isHeld)).toEqual([]);
  });

  test('the playground has every MUST, and all else but what the interface has otherwise', async () => {
    const failed = await failedAt(`${stack.playground.upstreamUrl}/graphql`, {});
    expect(failed.filter(({ name }) => name.startsWith('MUST'))).toEqual([]);
    expect(failed.map(({ id }) => id).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  });
});
