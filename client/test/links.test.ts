import { ApolloLink, gql } from '@apollo/client';
import { createApolloClient } from '../src/apollo.js';
import { CHAO_PHRAYA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { createUrqlClient } from '../src/urql.js';
import { CLIENTS } from './clients.js';
import { openPage, type TestPage } from './page.js';

const CATEGORY = 'query Category($id: String!) { jobCategory(id: $id) { name } }';
const BOTH = 'query Both($id: String!) { self { hirer { name } } jobCategory(id: $id) { name } }';
const SELF = 'query Self { self { hirer { name } } }';
const SCOPE = 'query:ontologies query:organizations';
const LANGUAGES = ['en-AU', 'id-ID', 'th-TH'];

let stack: Stack;
let id: string;
beforeAll(async () => {
  stack = await startStack();
  id = [...stack.playground.world.jobCategories.keys()][0]!;
});
afterAll(() => stack.close());

describe('Apollo Client', () => {
  test('answers in the language in which it was made, from its own cache the second time', async () => {
    const { bff, sent } = openPage(stack);
    const clients = LANGUAGES.map((language) => {
      bff.language = language;
      return createApolloClient(bff);
    });
    const names: string[] = [];
    for (const client of [...clients, ...clients]) {
      const { data } = await client.query<{ jobCategory: { name: string } }>({
        query: gql(CATEGORY),
        variables: { id },
      });
      names.push(data!.jobCategory.name);
    }
    expect(new Set(names).size).toBe(3);
    expect(names.slice(3)).toEqual(names.slice(0, 3));
    expect(sent('/graphql')).toBe(3);
  });

  test('has links put before the one that sends', async () => {
    const { bff } = openPage(stack);
    const names: (string | undefined)[] = [];
    const note = new ApolloLink((operation, forward) => {
      names.push(operation.operationName);
      return forward(operation);
    });
    const client = createApolloClient(bff, { link: (last) => ApolloLink.from([note, last]) });
    await client.query({ query: gql(SELF) });
    await client.query({ query: gql(SELF), context: { bff: { hirerId: NUSANTARA } } });
    expect(names).toEqual(['Self', 'Self']);
  });

  test('sends a registered operation by its name, and a batch as one array', async () => {
    const { bff, sent } = openPage(stack);
    const client = createApolloClient(bff, { batchMax: 10 });
    const hirer = client.query<{ hiringOrganization: { name: string } }>({
      query: gql`
        query Hirer {
          hiringOrganization {
            name
          }
        }
      `,
      context: { bff: { documentId: 'Hirer' } },
    });
    const versions = [1, 2, 3].map((at) => client.query({ query: gql(`query V${at} { version }`) }));
    expect((await hirer).data!.hiringOrganization.name).toBe('Banksia Health Group');
    await Promise.all(versions);
    expect(sent('/graphql')).toBe(2);
  });

  test('shows partial data beside its errors', async () => {
    const { bff } = openPage(stack);
    const client = createApolloClient(bff);
    stack.playground.faults.add({ field: 'Query.jobCategory', code: 'FORBIDDEN', message: 'Not yours.' });
    const variables = { id };
    const { data, error } = await client.query<{ self: unknown }>({
      query: gql(BOTH),
      variables,
      errorPolicy: 'all',
    });
    expect(data?.self).toBeDefined();
    expect(error?.message).toBe('Not yours.');
  });
});

test('urql: a client answers in its language and for its session, and for no later one', async () => {
  const { bff } = openPage(stack, { language: 'th-TH' });
  const client = createUrqlClient(bff);
  const ask = () =>
    client
      .query<{ jobCategory: { name: string } }>(CATEGORY, { id }, { requestPolicy: 'network-only' })
      .toPromise();
  const thai = (await ask()).data!.jobCategory.name;
  bff.language = 'en-AU';
  expect((await ask()).data!.jobCategory.name).toBe(thai);
  bff.switchHirer(NUSANTARA);
  expect((await ask()).error?.networkError).toMatchObject({ code: 'SESSION_ENDED' });
});

describe('each client', () => {
  // a place of its own: the service keeps a token that replaced a refused one for 5 s
  const PLACES = [
    ['Apollo Client', { hirerId: NUSANTARA, scope: SCOPE }],
    ['urql', { hirerId: NUSANTARA, scope: `${SCOPE} query:ad-products` }],
    ['graphql-request', { hirerId: CHAO_PHRAYA, getUserToken: () => stack.playground.signIn('bayu') }],
  ] as const;

  describe.each(PLACES)('%s', (name, place) => {
    const make = ({ bff }: TestPage) => CLIENTS[name](bff);

    test.each(LANGUAGES)('reads in %s', async (language) => {
      const page = openPage(stack, { language });
      const direct = await make(page)(CATEGORY, { id });
      const viaService = await make(
        openPage(stack, { language, upstreamUrl: undefined as unknown as string }),
      )(CATEGORY, { id });
      expect(direct['jobCategory']!.name).toBe(viaService['jobCategory']!.name);
      expect(stack.playground.calls.list({ route: 'graphql' }).at(-1)!.acceptLanguage).toBe(language);
    });

    test('gives the error that a person can act on for a refused hirer', async () => {
      const page = openPage(stack, { hirerId: CHAO_PHRAYA });
      await expect(make(page)(SELF, {})).rejects.toMatchObject({
        name: 'BffError',
        code: 'FORBIDDEN',
        reason: 'hirer_forbidden',
        message: expect.stringContaining('Ask an administrator'),
      });
    });

    test('does not notice that its token was refused', async () => {
      const page = openPage(stack, place);
      const query = make(page);
      await query(CATEGORY, { id });
      stack.playground.tokens.expire({ kind: 'browser', hirerId: page.bff.hirerId! });
      expect((await query(SELF, {}))['self']).toBeDefined();
    });
  });
});
