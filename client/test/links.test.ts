import { ApolloClient, gql } from '@apollo/client';
import { apolloOptions, followBff } from '../src/apollo.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
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
  test('keeps languages apart in one cache', async () => {
    const { bff, sent } = openPage(stack);
    const client = new ApolloClient(apolloOptions(bff));
    const names: string[] = [];
    for (const language of [...LANGUAGES, ...LANGUAGES]) {
      bff.language = language;
      const { data } = await client.query<{ jobCategory: { name: string } }>({
        query: gql(CATEGORY),
        variables: { id },
      });
      names.push(data!.jobCategory.name);
    }
    expect(new Set(names).size).toBe(3);
    expect(names.slice(3)).toEqual(names.slice(0, 3));
    expect(sent('/graphql')).toBe(3); // the second time from the cache
  });

  test('keeps hirers apart, even in an answer that is late', async () => {
    const { bff } = openPage(stack);
    const client = new ApolloClient(apolloOptions(bff));
    const self = async () =>
      (await client.query<{ self: { hirer: { name: string } } }>({ query: gql(SELF) })).data?.self.hirer.name;
    const late = self().catch((error: unknown) => error);
    bff.switchHirer(NUSANTARA);
    expect(await late).toMatchObject({ code: 'SESSION_ENDED' });
    expect(await self()).toBe('Nusantara Logistics');
    bff.switchHirer(BANKSIA);
    expect(await self()).toBe('Banksia Health Group');
  });

  test('sends a registered operation by its name, and a batch as one array', async () => {
    const { bff, sent } = openPage(stack);
    const client = new ApolloClient(apolloOptions(bff, { batchMax: 10 }));
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
    const client = new ApolloClient(apolloOptions(bff));
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

  test('loads what is on view again after a change of hirer', async () => {
    const { bff } = openPage(stack);
    const client = new ApolloClient(apolloOptions(bff));
    const stop = followBff(bff, client);
    const names: (string | undefined)[] = [];
    const loaded = Promise.withResolvers<void>();
    const watched = client
      .watchQuery<{ self: { hirer: { name: string } } }>({ query: gql(SELF) })
      .subscribe(({ data }) => {
        names.push((data as { self?: { hirer: { name: string } } } | undefined)?.self?.hirer.name);
        if (names.at(-1) === 'Banksia Health Group') bff.switchHirer(NUSANTARA);
        if (names.at(-1) === 'Nusantara Logistics') loaded.resolve();
      });
    await loaded.promise;
    watched.unsubscribe();
    stop();
    expect(names.filter(Boolean)).toEqual(['Banksia Health Group', 'Nusantara Logistics']);
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
