import { readFileSync } from 'node:fs';
import { gql } from '@apollo/client';
import { loadOperations } from '../../src/operations/registered-operations.js';
import { batch, request, type Bff, type BffOptions } from '../src/client.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { useStack } from '../../test/support/start-stack.js';
import { until } from '../../test/support/until.js';
import { HIRER_PAIRS } from '../../test/webhooks/send-webhook.js';
import { generatedDocuments, type GeneratedDocument } from './documents.js';
import { openPage } from './page.js';
import { apolloClient, graphqlRequest, urqlClient } from './recipes.js';

const SELF = 'query Self { self { hirer { name } } }';
const CATEGORY = 'query Category($id: String!) { jobCategory(id: $id) { name } }';
const NAMES: Readonly<Record<string, string>> = {
  [BANKSIA]: 'Banksia Health Group',
  [NUSANTARA]: 'Nusantara Logistics',
};
const ENDINGS: Readonly<Record<string, (bff: Bff, other: string) => void>> = {
  switch: (bff, other) => bff.switchHirer(other),
  'sign-out': (bff) => bff.signOut(),
};

/** Sends a text or a document, and returns its data, or throws what the client tells of a failure. */
type Ask = (query: string | GeneratedDocument, variables?: Record<string, unknown>) => Promise<unknown>;
const documentOf = (query: string | GeneratedDocument) => (typeof query === 'string' ? gql(query) : query);

const CLIENTS: Readonly<Record<string, (bff: Bff) => Ask>> = {
  'Apollo Client': (bff) => {
    const client = apolloClient(bff);
    return async (query, variables = {}) =>
      (await client.query({ query: documentOf(query), variables })).data;
  },
  urql: (bff) => {
    const client = urqlClient(bff);
    return async (query, variables = {}) => {
      const { data, error } = await client.query(query, variables).toPromise();
      if (error) throw error.networkError ?? error;
      return data;
    };
  },
  'graphql-request': (bff) => {
    const client = graphqlRequest(bff);
    return (query, variables) =>
      client.request(typeof query === 'string' ? query : query.documentId, variables);
  },
};

const stack = useStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
let documents: Readonly<Record<string, GeneratedDocument>>;
let category: string;
beforeAll(async () => {
  documents = await generatedDocuments();
  category = [...stack.playground.world.jobCategories.keys()][0]!;
});
afterEach(() => stack.playground.faults.clear());

/** A page, and the bodies and addresses that it sends. */
function open(options: Partial<BffOptions> = {}) {
  const bodies: object[] = [];
  const page = openPage(stack, {
    ...options,
    fetch: (url, init) => {
      if (new URL(url as string).pathname === '/graphql') bodies.push(JSON.parse(init!.body as string));
      return fetch(url, init);
    },
  });
  return { ...page, bodies };
}

test('every generated document carries the name and the hash of its operation', () => {
  const operations = loadOperations(['shipped']);
  const names = [...operations.all()].map(({ compiled }) => compiled.name);
  expect(Object.keys(documents).sort()).toEqual(names.map((name) => `${name}Document`).sort());
  for (const [key, { documentId, __meta__ }] of Object.entries(documents)) {
    expect(`${documentId}Document`).toBe(key);
    expect(operations.find(`sha256:${__meta__.hash}`)?.compiled.name).toBe(documentId);
  }
});

test('request and batch send a generated document by its name; one without text or name is refused with what to do', async () => {
  const { bff, bodies, sent } = open({ hirerId: NUSANTARA });
  const query = documents['PositionOpeningsDocument']!;
  const variables = { first: 5 };
  const one = (await request(bff, { query, variables })) as Openings;
  expect(one.positionOpenings.edges.length).toBeGreaterThan(0);
  expect(await batch(bff, [{ query, variables }])).toMatchObject([{ data: one }]);
  expect(bodies.flat()).toEqual(Array(2).fill({ documentId: 'PositionOpenings', variables }));
  expect(sent('/auth/token')).toBe(0);
  const nameless = { kind: 'Document', definitions: query.definitions };
  await expect(request(bff, { query: nameless })).rejects.toThrow(
    /without documentId: npm run operations -- types/,
  );
});

test('the README has the recipes that run here', () => {
  const [, recipes] = readFileSync('client/test/recipes.ts', 'utf8').split('word for word.\n\n');
  const readme = readFileSync('client/README.md', 'utf8');
  for (const recipe of recipes!.trim().split('\n\n')) expect(readme).toContain(recipe);
});

describe.each(Object.entries(CLIENTS))('%s by its recipe', (_name, make) => {
  describe.each(HIRER_PAIRS)('with two hirers, %s first', (first, second) => {
    test('each client answers for its own hirer, by text and by hash, and the one before for none', async () => {
      const { bff } = open({ hirerId: first });
      const one = make(bff);
      const persisted = documents['HirerDocument']!;
      const answerOf = async (ask: Ask) => [await ask(SELF), await ask(persisted)];
      const ofHirer = (id: string) => [
        { self: { hirer: { name: NAMES[id] } } },
        { hiringOrganization: { name: NAMES[id] } },
      ];
      expect(await answerOf(one)).toMatchObject(ofHirer(first));
      bff.switchHirer(second);
      const two = make(bff);
      expect(await answerOf(two)).toMatchObject(ofHirer(second));
      for (const late of [
        one(CATEGORY, { id: category }),
        one(documents['PositionOpeningsDocument']!, { first: 5 }),
      ]) {
        await expect(late).rejects.toMatchObject({ code: 'SESSION_ENDED' });
      }
      bff.switchHirer(first);
      expect(await answerOf(make(bff))).toMatchObject(ofHirer(first));
    });

    test('two hirers side by side are two sessions', async () => {
      const asks = [first, second].map((hirerId) => make(open({ hirerId }).bff));
      const answers = await Promise.all(asks.map((ask) => ask(documents['HirerDocument']!)));
      expect(answers).toMatchObject(
        [first, second].map((id) => ({ hiringOrganization: { name: NAMES[id] } })),
      );
    });

    test.each(Object.keys(ENDINGS))(
      'a call under way at a %s gets nothing, and nothing more is sent',
      async (end) => {
        const { bff, sent } = open({ hirerId: first, upstreamUrl: undefined as unknown as string });
        stack.playground.faults.add({ route: 'graphql', hang: true });
        const late = make(bff)(SELF);
        const outcome = expect(late).rejects.toMatchObject({ code: 'SESSION_ENDED' });
        await until(() => stack.playground.faults.list().length === 0); // the upstream has the request
        const before = sent('/graphql');
        ENDINGS[end]!(bff, second);
        await outcome;
        expect(sent('/graphql')).toBe(before);
      },
    );
  });

  test('sends a generated document by its hash or name, to the service, and gets its data', async () => {
    const { bff, bodies, sent } = open({ hirerId: NUSANTARA });
    const document = documents['PositionOpeningsDocument']!;
    const data = await make(bff)(document, { first: 5 });
    expect((data as Openings).positionOpenings.edges.length).toBeGreaterThan(0);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toHaveProperty('query');
    expect(JSON.stringify(bodies[0])).toMatch(new RegExp(`"${document.__meta__.hash}"|"PositionOpenings"`));
    expect(sent('/auth/token')).toBe(0);
  });

  test('reads in the language of its session, directly and through the service', async () => {
    const { name } = stack.playground.world.jobCategories.get(category)!;
    for (const language of ['en-AU', 'id-ID', 'th-TH'] as const) {
      for (const upstreamUrl of [stack.playground.upstreamUrl, undefined as unknown as string]) {
        const ask = make(open({ language, upstreamUrl }).bff);
        expect(await ask(CATEGORY, { id: category })).toMatchObject({
          jobCategory: { name: name[language] },
        });
      }
    }
  });

  test('gives the error that a person can act on for a refused hirer', async () => {
    await expect(make(open({ hirerId: CHAO_PHRAYA }).bff)(SELF)).rejects.toMatchObject({
      name: 'BffError',
      code: 'FORBIDDEN',
      reason: 'hirer_forbidden',
      message: expect.stringContaining('Ask an administrator'),
    });
  });
});

interface Openings {
  readonly positionOpenings: { readonly edges: readonly unknown[] };
}
