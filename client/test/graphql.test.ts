/* eslint-disable max-lines -- one way to send, and all that may come back */
import { batch, type Bff, execute, request } from '../src/client.js';
import { graphqlFetch } from '../src/fetch.js';
import { useStack } from '../../test/support/start-stack.js';
import { until } from '../../test/support/until.js';
import { openPage, pageBefore } from './page.js';

const stack = useStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
let ids: string[];
beforeAll(() => {
  const known = [...stack.playground.world.locations.keys()];
  ids = Array.from({ length: 23 }, (_, at) => known[at % known.length]!);
});
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

  const VERSION = { query: '{ version }' };
  const post = { method: 'POST', body: JSON.stringify(VERSION) };
  test.each<[string, (bff: Bff, signal: AbortSignal) => Promise<unknown>]>([
    ['sent directly', (bff, signal) => request(bff, VERSION, { signal })],
    ['sent by the service', (bff, signal) => request(bff, VERSION, { signal, via: 'service' })],
    ['of graphqlFetch', (bff, signal) => graphqlFetch(bff)('/graphql', { ...post, signal })],
  ])('%s ends with the abort of its caller', async (_way, send) => {
    const { bff } = openPage(stack);
    await bff.getAuthToken();
    stack.playground.faults.add({ route: 'graphql', hang: true });
    const controller = new AbortController();
    const sending = send(bff, controller.signal);
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
    const failed = 'NETWORK_ERROR';
    expect(results.map(({ error }) => error?.code ?? '')).toEqual(['', '', failed, failed, '', '']);
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

  test('a mutation whose text holds several is not sent again', async () => {
    const texts: string[] = [];
    const send = async (url: unknown, init?: RequestInit): Promise<Response> => {
      if (String(url).endsWith('/auth/token')) return Response.json({ access_token: 't', expires_in: 60 });
      texts.push(init!.body as string);
      return Response.json({ data: null, errors: [refusal('a')] });
    };
    const bff = pageBefore(send, { upstreamUrl: 'https://upstream.example', hirerId: 'h', scope: 's' });
    const query = 'mutation A { a } mutation B { b a }';
    await execute(bff, { query, operationName: 'B' });
    expect(texts).toHaveLength(1);
  });

  test('keeps what was answered when there is no new token for what was refused', async () => {
    const answers = [{ access_token: 't', expires_in: 60 }, [{ data: { a: 1 } }, { errors: [refusal()] }]];
    const send = async (): Promise<Response> =>
      answers.length > 0 ? Response.json(answers.shift()) : new Response(null, { status: 503 });
    const bff = pageBefore(send, { upstreamUrl: 'https://upstream.example', hirerId: 'h', scope: 's' });
    const results = await batch(bff, [{ query: '{ a }' }, { query: '{ b }' }]);
    expect(results).toMatchObject([{ data: { a: 1 } }, { error: { code: 'UNAVAILABLE' } }]);
  });

  test.each([
    ['refused as a whole', undefined, [refusal()]],
    ['of which every root was refused', { a: null, b: null }, [refusal('a'), refusal('b')]],
    ['of which the first root ended the rest', null, [refusal('a')]],
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
    ['may have run before the one that was refused', null, [refusal('b')]],
  ])('never sends a mutation again of which a root %s', async (_case, data, errors) => {
    const { bff, texts } = answering([{ data, errors }]);
    const [{ data: answered } = {}] = await batch(bff, [{ query: 'mutation { a b }' }]);
    expect([answered, texts.length]).toEqual([data, 1]);
  });
});

/** The bodies that a page sends to its service, which has nothing to say. */
function recording() {
  const bodies: unknown[] = [];
  const bff = pageBefore(async (_url, init) => {
    bodies.push(JSON.parse(init!.body as string));
    return Response.json({ data: { a: 1 } });
  });
  return { bff, bodies };
}

describe('what has no value', () => {
  test.each([
    ['query Q($a: Int) { f(a: $a) }', {}, 'query Q { f }'],
    ['query ($a: Int!, $b: [Int!]) { f(a: $a, b: $b) }', { a: 1 }, 'query ($a: Int!, ) { f(a: $a, ) }'],
    ['query ($a: Int = 1, $b: Int) { f(a: $a, b: $b) }', {}, 'query ($a: Int = 1, ) { f(a: $a, ) }'],
    ['query ($a: Int!) { f(a: $a) }', {}, 'query ($a: Int!) { f(a: $a) }'],
    ['query ($a: Int) { f(x: {a: $a}) g(a: [$a]) }', {}, 'query ($a: Int) { f(x: {a: $a}) g(a: [$a]) }'],
    ['query ($a: Int) { f(x: {a: $a, b: 2}) }', {}, 'query { f(x: {, b: 2}) }'],
    ['query ($a: Int @d) { f(a: $a) }', {}, 'query ($a: Int @d) { f(a: $a) }'],
    ['query ($ab: Int, $a: Int) { f(a: $ab) }', { ab: 1 }, 'query ($ab: Int, ) { f(a: $ab) }'],
    [
      'query ($a: Int) { f(s: "a: $b ()", a: $a) # a: $c ()\n}',
      {},
      'query { f(s: "a: $b ()", ) # a: $c ()\n}',
    ],
  ])('is left out of %s', async (query, variables, sent) => {
    const { bff, bodies } = recording();
    await request(bff, { query, variables: { ...variables, unset: undefined, none: null, empty: '' } });
    const [{ query: text, variables: values }] = bodies as [{ query: string; variables: object }];
    const dense = (given: string) => given.replaceAll(/ +/g, ' ').replaceAll(/ (?=[({)])/g, '');
    expect(dense(text)).toBe(dense(sent));
    expect(values).toEqual(variables);
  });

  test('is no date: that is sent as its text', async () => {
    const { bff, bodies } = recording();
    const at = new Date(0);
    await request(bff, { query: '{ f }', variables: { at, input: { at: [at] } } });
    expect(bodies).toMatchObject([{ variables: { at: at.toJSON(), input: { at: [at.toJSON()] } } }]);
  });
});

describe('graphqlFetch', () => {
  const variables = { none: null, empty: '', list: [null], at: '1970-01-01T00:00:00.000Z' };
  const extensions = { note: { a: 1 } };
  const whole = { query: 'query Q { f }', operationName: 'Q', variables, extensions };
  const address = new URL('https://elsewhere.example/graphql');
  for (const [name, value] of Object.entries(whole)) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const body = JSON.stringify(whole);

  test.each([
    ['POST', '/graphql', { method: 'POST', body }],
    ['GET', address, undefined],
    ['GET of a Request', new Request(address), undefined],
    ['POST of a Request', new Request('https://elsewhere.example/', { method: 'POST', body }), undefined],
    [
      'a Request with other bytes',
      new Request('https://elsewhere.example/'),
      { method: 'POST', body: new Blob([body]) },
    ],
  ])('sends what a client would, by %s', async (_way, input, init) => {
    const { bff, bodies } = recording();
    const answer = await graphqlFetch(bff)(input, init);
    expect(await answer.json()).toEqual({ data: { a: 1 } });
    expect(bodies).toEqual([whole]);
  });

  test('sends a registered operation by hash or name, and keeps the text of a hash as it is', async () => {
    const { bff, bodies } = recording();
    const persisted = { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } };
    const query = 'query ($a: Int) { f(a: $a) }';
    for (const sent of [persisted, { documentId: 'Hirer' }, { query: 'Hirer' }, { query, ...persisted }]) {
      await graphqlFetch(bff)('/', { method: 'POST', body: JSON.stringify(sent) });
    }
    expect(bodies).toEqual([
      persisted,
      { documentId: 'Hirer' },
      { documentId: 'Hirer' },
      { query, ...persisted },
    ]);
  });

  test('answers an array item by item, though one failed or has no answer', async () => {
    const answers = [{ data: { a: 1 } }, { data: null, errors: [{ message: 'No.' }] }];
    const bff = pageBefore(async () => Response.json(answers));
    const bodies = ['{ a }', '{ b }', '{ c }'].map((query) => ({ query }));
    const answer = await graphqlFetch(bff)('/', { method: 'POST', body: JSON.stringify(bodies) });
    const missing = { errors: [{ message: 'Status 200.', extensions: { code: 'UPSTREAM_ERROR' } }] };
    expect(await answer.json()).toMatchObject([...answers, missing]);
  });

  test('has no option that names another hirer, from JavaScript either', async () => {
    const hirers: unknown[] = [];
    const send: typeof fetch = async (_url, init) => {
      hirers.push(new Headers(init!.headers).get('X-Hirer-Id'));
      return Response.json({ data: { a: 1 } });
    };
    const bff = pageBefore(send, { hirerId: 'own' });
    const options = { scope: 'query:organizations', hirerId: 'other' };
    await graphqlFetch(bff, options)('/', { method: 'POST', body });
    expect(hirers).toEqual(['own']);
  });
});
