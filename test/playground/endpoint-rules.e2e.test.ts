import supertest from 'supertest';
import { DEFAULT_SWITCHES } from '../../playground/src/switches.js';
import { until } from '../support/until.js';
import {
  ask,
  bearer,
  browserToken,
  errorsOf,
  MELBOURNE,
  partnerToken,
  post,
  uploadInput,
  type GraphqlAnswer,
  usePlayground,
} from './client.js';

const LOCATION = 'query($id: String!) { location(id: $id) { contextualName } }';
const UPLOAD = 'mutation($input: UploadCandidateInput!) { uploadCandidate(input: $input) { __typename } }';
const SUCCESS = { __typename: 'UploadCandidatePayload_Success' };
const CONFLICT = { __typename: 'UploadCandidatePayload_Conflict' };

const upload = (address: string) => ({ input: uploadInput(address) });

/** interface.md 2.3, 2.4, 4.1, 4.3 and 4.4. */
describe('the rules of POST /graphql', () => {
  const playground = usePlayground({ switches: { mutations: 'stateful' } });
  let url: string;
  let headers: Record<string, string>;
  beforeAll(async () => {
    url = `${playground.upstreamUrl}/graphql`;
    headers = bearer(partnerToken(playground));
    expect(playground.world.hirers.size).toBe(5);
  });
  afterEach(() => {
    playground.faults.clear();
    Object.assign(playground.switches, DEFAULT_SWITCHES, { mutations: 'stateful' });
  });

  const send = async (body: unknown, extra: Record<string, string> = {}) =>
    post(url, body, { ...headers, ...extra });
  const items = async (body: unknown): Promise<GraphqlAnswer[]> => (await send(body)).body as GraphqlAnswer[];

  test('4.1 takes application/json and answers 200 with application/json in UTF-8', async () => {
    const response = await send(
      { query: LOCATION, variables: { id: MELBOURNE } },
      { 'Content-Type': 'application/json; charset=utf-8' },
    );
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect((response.body as GraphqlAnswer).data).toEqual({
      location: { contextualName: expect.stringContaining('Melbourne') },
    });
  });

  test.each([
    'application/graphql+json',
    'application/graphql',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
  ])('4.1 refuses the content type %s with 415', async (type) => {
    expect((await send('{"query":"{ version }"}', { 'Content-Type': type })).status).toBe(415);
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['text that is not JSON', Buffer.from('{"query":')],
  ])('4.1 refuses %s with 400', async (_what, body) => {
    expect((await post(url, body)).status).toBe(400);
  });

  test('4.1 answers POST only', async () => {
    const response = await supertest(url).get('?query={version}');
    expect([response.status, response.headers['allow']]).toEqual([405, 'POST']);
  });

  test('2.3 takes variables as an object only', async () => {
    expect((await send({ query: LOCATION, variables: JSON.stringify({ id: MELBOURNE }) })).status).toBe(400);
    const withoutQuery = (await send({ variables: {} })).body as GraphqlAnswer;
    expect(withoutQuery).toMatchObject({ errors: [{ message: expect.stringContaining('query') }] });
    expect(withoutQuery.data).toBeUndefined();
  });

  test('7 answers a fault in a variable with 200 and a code, as every fault of GraphQL', async () => {
    const { status, body } = await send({ query: LOCATION });
    expect([status, errorsOf(body as GraphqlAnswer)]).toEqual([200, [['BAD_USER_INPUT', '']]]);
  });

  test('2.4 puts an integer requestLatency into every answer, malformed items of an array and refusals before execution too', async () => {
    const isTimed = ({ extensions }: GraphqlAnswer) => Number.isInteger(extensions?.requestLatency);
    const answers = await items([null, { query: 7 }, { query: '{' }, { query: '{ version }' }]);
    expect(answers.filter(isTimed)).toHaveLength(4);
    const refused = [
      await send('{'),
      await send([]),
      await send({ query: `{ version }${' '.repeat(1_048_576)}` }),
      await send('{}', { 'Content-Type': 'text/plain' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 413, 415]);
    expect(refused.filter(({ body }) => isTimed(body as GraphqlAnswer))).toHaveLength(4);
  });

  test('4.3.1 notes an inlined argument, and refuses it if configured to', async () => {
    const inlined = `{ location(id: "${MELBOURNE}") { name } }`;
    expect((await ask(playground, inlined)).errors).toBeUndefined();
    expect(playground.calls.list().at(-1)?.ruleBreaks).toEqual(['4.3.1 location(id:) is inlined']);
    playground.switches.operationRules = 'refuse';
    expect(errorsOf(await ask(playground, inlined))).toEqual([['BAD_USER_INPUT', '']]);
  });

  test('4.3.2 notes an optional argument that is null, empty or a variable without value, and refuses it if configured to', async () => {
    const events =
      'query($s: String!, $after: String, $filter: EventsFilterInput) { events(schemeId: $s, after: $after, filter: $filter) { pageInfo { hasNextPage } } }';
    const omitted = 'query($s: String!) { events(schemeId: $s) { pageInfo { hasNextPage } } }';
    playground.switches.operationRules = 'refuse';
    for (const variables of [
      { after: null },
      { after: '' },
      {},
      { after: 'x', filter: { subscriptionId: null } },
    ]) {
      const answer = await ask(playground, events, { s: 'seekAnzPublicTest', ...variables });
      expect(answer.errors?.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^4\.3\.2/));
    }
    expect((await ask(playground, omitted, { s: 'seekAnzPublicTest' })).errors).toBeUndefined();
  });

  test('4.3.4 never returns a field that the schema lacks, or null where the schema forbids it', async () => {
    expect(
      errorsOf(await ask(playground, LOCATION.replace('contextualName', 'postcode'), { id: MELBOURNE })),
    ).toEqual([['GRAPHQL_VALIDATION_FAILED', '']]);
    playground.faults.add({ field: 'Query.version', code: 'INTERNAL_SERVER_ERROR' });
    expect(await ask(playground, '{ version }')).toMatchObject({
      data: null,
      errors: [{ path: ['version'] }],
    });
  });

  test('4.4 runs the queries of an operation concurrently', async () => {
    playground.faults.add({ field: 'Query.location', times: 3, delayMs: 60_000 });
    const query =
      'query($id: String!) { a: location(id: $id) { name } b: location(id: $id) { name } c: location(id: $id) { name } }';
    void ask(playground, query, { id: MELBOURNE }).catch(() => undefined);
    await until(() => playground.faults.list().length === 0); // the third began while the first hung
  });

  test('4.4 runs the mutations of an operation one after another, in order', async () => {
    playground.faults.add({ field: 'Mutation.uploadCandidate', delayMs: 100 });
    const twice = `mutation($input: UploadCandidateInput!) { a: uploadCandidate(input: $input) { __typename } b: uploadCandidate(input: $input) { __typename } }`;
    const { data } = await ask(playground, twice, upload('serial@people.example'));
    expect(data).toEqual({ a: SUCCESS, b: CONFLICT });
  });

  test('4.4 runs the mutations of an array concurrently', async () => {
    playground.faults.add({ field: 'Mutation.uploadCandidate', delayMs: 100 });
    const same = { query: UPLOAD, variables: upload('same@people.example') };
    const answers = await items([same, same]);
    expect(answers.map(({ data }) => data?.['uploadCandidate'])).toEqual([CONFLICT, SUCCESS]);
  });

  test('4.4 runs the queries of an array concurrently and keeps the order of the array', async () => {
    playground.faults.add({ field: 'Query.location', times: 2, delayMs: 60_000 });
    const one = { query: LOCATION, variables: { id: MELBOURNE } };
    void items([one, one]).catch(() => undefined);
    await until(() => playground.faults.list().length === 0);
    playground.faults.add({ field: 'Query.location', delayMs: 100 });
    const answers = await items([one, one, { query: '{ version }' }]);
    const fields = answers.map(({ data }) => Object.keys(data ?? {})[0]);
    expect(fields).toEqual(['location', 'location', 'version']);
  });

  test('4.4 refuses queries and mutations together in one operation', async () => {
    const answer = await ask(playground, 'mutation { version }');
    expect(errorsOf(answer)).toEqual([['GRAPHQL_VALIDATION_FAILED', '']]);
  });

  test('4.4 lets an item of an array fail alone, even a malformed one, and keeps the effects of the others', async () => {
    const answers = await items([
      { query: UPLOAD, variables: upload('kept@people.example') },
      { query: '{' },
      null,
      { query: '{ nothing }' },
      { query: '{ version }' },
    ]);
    expect(answers.map((answer) => answer.errors === undefined)).toEqual([true, false, false, false, true]);
    const again = await ask(playground, UPLOAD, upload('kept@people.example'));
    expect(again.data).toEqual({ uploadCandidate: CONFLICT });
  });

  test('4.4 gives data and errors side by side when one field of several fails', async () => {
    const query = 'query($id: String!) { version self { hirer { name } } location(id: $id) { name } }';
    const answer = await ask(
      playground,
      query,
      { id: MELBOURNE },
      browserToken(playground, ['query:organizations']),
    );
    expect(answer.data).toMatchObject({ self: { hirer: { name: 'Banksia Health Group' } }, location: null });
    expect(errorsOf(answer)).toEqual([['FORBIDDEN', 'location']]);
  });

  test('4.4 refuses arrays that are too long, and all arrays if configured to', async () => {
    expect((await send(Array.from({ length: 101 }, () => ({ query: '{ version }' })))).status).toBe(413);
    playground.switches.batching = false;
    expect((await send([{ query: '{ version }' }])).status).toBe(400);
  });

  test('gives null for an unknown identifier, and also an error if configured to', async () => {
    const variables = { id: 'seekAnzPublicTest:location:seek:none' };
    expect(await ask(playground, LOCATION, variables)).toMatchObject({ data: { location: null } });
    expect((await ask(playground, LOCATION, variables)).errors).toBeUndefined();
    playground.switches.unknownId = 'NOT_FOUND';
    expect(errorsOf(await ask(playground, LOCATION, variables))).toEqual([['NOT_FOUND', 'location']]);
    const event = 'query($id: String!) { event(id: $id) { id { value } } }';
    expect(errorsOf(await ask(playground, event, variables))).toEqual([['NOT_FOUND', 'event']]);
  });
});
