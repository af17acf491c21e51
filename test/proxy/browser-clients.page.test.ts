import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gql } from '@apollo/client';
import { createRequest, stringifyDocument } from '@urql/core';
import { print } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import type { Call, CLIENTS, Seen } from './browser-clients/clients.js';
import { BANKSIA, CHAO_PHRAYA, startProxyStack, type ProxyStack } from './proxy-stack.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

const NAME = 'query Name($id: String!) { hiringOrganization(id: $id) { name } }';
const DATA = { hiringOrganization: { name: 'Banksia Health Group' } };
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
const AWARENESS = { name: 'jobs-page', version: '1.2.3' };
const named = (name: string): string => NAME.replace('Name', name);
/** Registered operations, as the text that the client sends: Apollo Client adds __typename. */
const TEXTS = {
  ForApollo: print(gql(named('ForApollo').replace('{ name }', '{ name __typename }'))),
  ForUrql: stringifyDocument(createRequest(named('ForUrql'), {}).query),
};

let stack: ProxyStack;
let pages: Server;
let browser: Browser;
let page: Page;
/** Bodies that the page has sent to the service. */
let sent: string[] = [];
/** Name of the client in the last of them. */
let announced: string | undefined;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-clients-'));
  const source = 'test/proxy/browser-clients';
  await promisify(execFile)(
    process.execPath,
    ['node_modules/vite/bin/vite.js', 'build', source, '--outDir', folder],
    {
      env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' },
    },
  );
  pages = createServer((request, response) => {
    const file = request.url === '/' ? 'index.html' : request.url!;
    response.setHeader('content-type', TYPES[extname(file)]!).end(readFileSync(join(folder, file)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => pages.once('listening', resolve));
  stack = await startProxyStack({ CORS_ORIGINS: originOf('127.0.0.1'), OPERATIONS_DIR: manifest() });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  pages.close();
});

const originOf = (host: string): string => `http://${host}:${(pages.address() as AddressInfo).port}`;

/** Registers the text of each client, as its own tools would. */
function manifest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));
  const operations = Object.entries(TEXTS).map(([name, body]) => {
    return { id: createHash('sha256').update(body).digest('hex'), name, type: 'query', body };
  });
  const file = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(file));
  return folder;
}

async function open(host: string): Promise<void> {
  page = await browser.newPage();
  page.on('request', (request) => {
    if (request.method() !== 'POST') return;
    sent.push(request.postData() ?? '');
    announced = request.headers()['apollographql-client-name'];
  });
  await page.goto(originOf(host));
  await page.waitForFunction('globalThis.CLIENTS !== undefined');
}

/** Calls one of the clients in the page. */
async function run<N extends keyof typeof CLIENTS>(
  name: N,
  call: Partial<Call> = {},
  ...rest: unknown[]
): Promise<Awaited<ReturnType<(typeof CLIENTS)[N]>>> {
  const headers = { authorization: `Bearer ${stack.amelia}`, 'x-hirer-id': BANKSIA };
  const whole = { url: `${stack.url}/graphql`, query: NAME, variables: { id: BANKSIA }, ...call };
  const all = [name, { ...whole, headers: { ...headers, ...call.headers } }, ...rest];
  return page.evaluate(([one, ...given]) => {
    const { CLIENTS: clients } = globalThis as unknown as {
      CLIENTS: Record<string, (...given: unknown[]) => unknown>;
    };
    return clients[one as string]!(...given);
  }, all) as never;
}

describe.each<[string, Partial<Call>]>([
  ['unmodified', {}],
  [
    'with client awareness and tracing',
    {
      awareness: AWARENESS,
      headers: {
        'apollographql-client-name': AWARENESS.name,
        'apollographql-client-version': AWARENESS.version,
        'x-apollo-operation-name': 'Name',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        tracestate: 'vendor=value',
        baggage: 'key=value',
      },
    },
  ],
])('clients in a browser, %s', (_, as) => {
  beforeAll(() => open('127.0.0.1'));
  beforeEach(() => (sent = []));
  afterAll(() => page.close());

  const ask = (name: 'apollo' | 'urql' | 'graphqlRequest', call: Partial<Call> = {}): Promise<Seen> =>
    run(name, { ...as, ...call, headers: { ...as.headers, ...call.headers } });

  describe.each([
    ['apollo', 'CombinedGraphQLErrors'],
    ['urql', 'CombinedError'],
    ['graphqlRequest', 'Error'],
  ] as const)('%s', (name, kind) => {
    test('gets data', async () => {
      expect(await ask(name)).toMatchObject({ data: DATA });
      expect(announced).toBe(as.awareness?.name);
    });

    test('reads code, reason and what to do of each refusal', async () => {
      const other = await ask(name, { headers: { 'x-hirer-id': CHAO_PHRAYA } });
      expect(other).toEqual({
        kind,
        code: 'FORBIDDEN',
        reason: 'hirer_forbidden',
        message: expect.stringContaining('Ask an administrator for membership'),
      });
      expect(await ask(name, { headers: { authorization: 'Bearer expired' } })).toEqual({
        kind,
        code: 'UNAUTHENTICATED',
        reason: 'unauthenticated',
        message: expect.stringContaining('Sign in again'),
      });
      const deep = `query Deep { ${'a { '.repeat(60)}b${' }'.repeat(60)} }`;
      expect(await ask(name, { query: deep })).toMatchObject({
        kind,
        code: 'BAD_USER_INPUT',
        reason: 'invalid_request',
      });
    });

    test('reads code and reason of a failure of the upstream, and the errors of its own', async () => {
      stack.playground.faults.add({ route: 'graphql', status: 500, body: 'oops' });
      const failure = await ask(name);
      stack.playground.faults.clear();
      expect(failure).toMatchObject({ kind, code: 'UPSTREAM_ERROR', reason: 'upstream_error' });
      const refused = await ask(name, { variables: { id: CHAO_PHRAYA } });
      expect(refused).toMatchObject({ kind, code: 'FORBIDDEN' });
    });
  });

  const BATCH = ['A', 'B', 'C'].map(named);

  test('Apollo Client sends a batch, in which an item fails alone', async () => {
    const [a, bad, c] = await run('apolloBatch', as, [
      BATCH[0],
      `query B { ${'a '.repeat(5_000)} }`,
      BATCH[2],
    ]);
    expect([a, c]).toMatchObject([{ data: DATA }, { data: DATA }]);
    expect(bad).toMatchObject({
      kind: 'CombinedGraphQLErrors',
      code: 'BAD_USER_INPUT',
      reason: 'invalid_request',
    });
    expect(sent.filter((body) => body.startsWith('['))).toHaveLength(1);
  });

  test('graphql-request sends a batch, in which an item fails alone', async () => {
    const [a, bad, c] = await run('graphqlRequestBatch', as, [
      BATCH[0],
      `query B { ${'a '.repeat(5_000)} }`,
      BATCH[2],
    ]);
    expect([a, c]).toMatchObject([{ data: DATA }, { data: DATA }]);
    expect(bad).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_request' });
  });

  test.each(['apolloBatch', 'graphqlRequestBatch'] as const)(
    '%s: a batch that is refused as a whole tells code and reason',
    async (name) => {
      const headers = { ...as.headers, authorization: 'Bearer expired' };
      for (const one of await run(name, { ...as, headers }, BATCH)) {
        expect(one).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
      }
    },
  );

  test.each([
    ['apolloPersisted', 'ForApollo'],
    ['urqlPersisted', 'ForUrql'],
  ] as const)(
    '%s: a registered operation is sent by its hash, another falls back to its text',
    async (name, operation) => {
      const registered = await run(name, { ...as, query: named(operation) });
      expect(registered).toMatchObject({ data: DATA });
      const texts = (): boolean[] => sent.splice(0).map((body) => 'query' in (JSON.parse(body) as object));
      expect(texts()).toEqual([false]);
      expect(await run(name, as)).toMatchObject({ data: DATA });
      expect(texts()).toEqual([false, true]);
    },
  );

  test('urql, which sends queries by GET unless told otherwise, is told how to send them', async () => {
    expect(await run('urqlAsItComes', as)).toEqual({
      kind: 'CombinedError',
      code: 'METHOD_NOT_ALLOWED',
      reason: 'method_not_allowed',
      message: 'This address accepts POST only.',
    });
  });
});

test('a page of another origin gets nothing', async () => {
  await open('localhost');
  for (const name of ['apollo', 'urql', 'graphqlRequest'] as const) {
    const answer = await run(name);
    expect(answer.data).toBeUndefined();
    expect(answer.message).toMatch(/Failed to fetch/);
  }
  await page.close();
});
