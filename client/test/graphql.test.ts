import { batch, execute, request } from '../src/client.js';
import { NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { until } from '../../test/support/until.js';
import { openPage } from './page.js';

let stack: Stack;
let ids: string[];
beforeAll(async () => {
  stack = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
  const known = [...stack.playground.world.locations.keys()];
  ids = Array.from({ length: 23 }, (_, at) => known[at % known.length]!);
});
afterAll(() => stack.close());
afterEach(() => stack.playground.faults.clear());

const graphqlCalls = () => stack.playground.calls.list({ route: 'graphql' });

describe('an operation', () => {
  test('goes upstream by itself with tracing headers and language, without what has no value', async () => {
    const { bff } = openPage(stack, { language: 'th-TH' });
    const query = `query Places($schemeId: String!, $text: String!, $usageTypeCode: String!, $hirerId: String, $first: Int) {
      locationSuggestions(schemeId: $schemeId, text: $text, usageTypeCode: $usageTypeCode, hirerId: $hirerId, first: $first) { location { contextualName } }
    }`;
    const variables = {
      schemeId: 'seekAnzPublicTest',
      text: 'Mel',
      usageTypeCode: 'PositionPosting',
      hirerId: null,
      first: 1,
    };
    const { data, error } = await execute(bff, { query, variables });
    expect([error, (data as { locationSuggestions: unknown[] }).locationSuggestions]).toEqual([
      undefined,
      [expect.anything()],
    ]);
    expect(graphqlCalls().at(-1)).toMatchObject({
      token: 'browser',
      sessionId: bff.sessionId,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      acceptLanguage: 'th-TH',
      ruleBreaks: [],
    });
  });

  test('that is registered goes through the service by its name', async () => {
    const { bff, sent } = openPage(stack);
    const data = await request<{ positionOpenings: { edges: unknown[] } }, object>(bff, {
      documentId: 'PositionOpenings',
      variables: { first: 3, after: undefined, filter: {} },
    });
    expect(data.positionOpenings.edges).toHaveLength(3);
    expect(sent('/auth/token')).toBe(0);
    expect(graphqlCalls().at(-1)).toMatchObject({ token: 'partner' });
  });

  test('refused by the service says why, as every other route does', async () => {
    const { bff } = openPage(stack);
    const variables = { hirerId: NUSANTARA, first: 1 };
    const asOther = request(bff, { documentId: 'PositionOpenings', variables });
    await expect(asOther).rejects.toMatchObject({
      code: 'FORBIDDEN',
      reason: 'hirer_forbidden',
      status: 403,
    });
    const [unknown, known] = await batch(bff, [{ documentId: 'Nothing' }, { documentId: 'Hirer' }]);
    expect([unknown!.error?.reason, known!.error]).toEqual(['invalid_request', undefined]);
  });

  test.each([undefined, 'service' as const])('can be aborted (via %s)', async (via) => {
    const { bff } = openPage(stack);
    await bff.getAuthToken();
    stack.playground.faults.add({ route: 'graphql', hang: true });
    const controller = new AbortController();
    const sending = request(bff, { query: '{ version }' }, { signal: controller.signal, via });
    await until(() => stack.playground.faults.list().length === 0); // the upstream has the request
    controller.abort();
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a batch', () => {
  test('keeps its order and fails item by item, in arrays of the limit', async () => {
    const { bff, sent } = openPage(stack);
    const operations = Array.from({ length: 23 }, (_, at) =>
      at === 13
        ? { query: '{ nothingLikeThis }' }
        : {
            query: `query ($id: String!) { location(id: $id) { id { value } } }`,
            variables: { id: ids[at] },
          },
    );
    const results = await batch(bff, operations, { limit: 10 });
    expect(sent('/graphql')).toBe(3);
    results.forEach(({ data, error }, at) => {
      if (at === 13) expect(error).toMatchObject({ name: 'BffError' });
      else expect(data).toEqual({ location: { id: { value: ids[at] } } });
    });
  });

  test('loses only the array that failed', async () => {
    const { bff } = openPage(stack);
    const operations = Array.from({ length: 6 }, () => ({ query: '{ version }' }));
    stack.playground.faults.add({ route: 'graphql', after: 1, reset: true });
    const results = await batch(bff, operations, { limit: 2 });
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      undefined,
      'NETWORK_ERROR',
      'NETWORK_ERROR',
      undefined,
      undefined,
    ]);
  });

  const refusal = (...path: string[]) => ({ path, extensions: { code: 'UNAUTHENTICATED' } });

  /** Answers each request for GraphQL in turn, and returns the texts of each. */
  function answering(...answers: unknown[]) {
    const texts: string[][] = [];
    const { bff } = openPage(stack, {
      fetch: async (url, init) => {
        if ((url as string).endsWith('/auth/token')) {
          return Response.json({ access_token: `t${texts.length}`, expires_in: 60 });
        }
        const items = [JSON.parse(init!.body as string)].flat() as { query: string }[];
        texts.push(items.map(({ query }) => query));
        return Response.json(answers.shift());
      },
    });
    return { bff, texts };
  }

  test('sends again only the items that a renewed token may help', async () => {
    const { bff, texts } = answering([{ data: { a: 1 } }, { data: { a: null }, errors: [refusal('a')] }], {
      data: { a: 2 },
    });
    const results = await batch(bff, [{ query: '{ a }' }, { query: 'query Again { a }' }]);
    expect(texts[1]).toEqual(['query Again { a }']);
    expect(results.map(({ data }) => data)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test.each([
    ['refused as a whole', undefined, [refusal()]],
    ['of which every root was refused', { a: null, b: null }, [refusal('a'), refusal('b')]],
  ])('sends a mutation again, once, %s', async (_case, data, errors) => {
    const { bff, texts } = answering([{ data, errors }], [{ data, errors }], [{ data, errors }]);
    await batch(bff, [{ query: 'mutation { a b }' }]);
    expect(texts).toHaveLength(2);
  });

  test.each([
    ['has data', { a: 1, b: null }, [refusal('a'), refusal('b')]],
    ['has failed otherwise', { a: null, b: null }, [refusal('a'), refusal('b'), { path: ['b'] }]],
    ['is not accounted for', { a: null, b: null }, [refusal('a')]],
    ['was refused below', { a: null, b: null }, [refusal('a'), refusal('b', 'c')]],
  ])('never sends a mutation again of which a root %s', async (_case, data, errors) => {
    const { bff, texts } = answering([{ data, errors }]);
    const [{ data: answered } = {}] = await batch(bff, [{ query: 'mutation { a b }' }]);
    expect([answered, texts.length]).toEqual([data, 1]);
  });
});
