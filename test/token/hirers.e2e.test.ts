import supertest from 'supertest';
import { type Answer, useStack } from '../support/start-stack.js';

const LIMIT = 20;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

const stack = useStack({
  ALLOWED_SCOPES: 'query:organizations query:ontologies',
  RATE_LIMIT_REQUESTS_PER_MINUTE: String(LIMIT),
  TRUST_TRACE: 'true',
});
let amelia: string;

beforeAll(async () => {
  amelia = await stack.playground.signIn('amelia');
});

const hirersOf = async (token: string, headers = {}): Promise<Answer> =>
  supertest(stack.url)
    .get('/hirers')
    .set({ authorization: `Bearer ${token}`, ...headers });

describe('GET /hirers', () => {
  test('names the hirers of the user, with one upstream call for all who ask, and is limited', async () => {
    const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 5 }, () =>
        hirersOf(amelia, { traceparent, 'accept-language': 'xx-attack' }),
      ),
    );
    const [served, refused] = [200, 429].map((status) => answers.filter((one) => one.status === status));
    expect([served!.length, refused!.length]).toEqual([LIMIT, 5]);
    expect(refused![0]).toMatchObject({ body: { code: 'rate_limited' } });
    expect(Number(refused![0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(served![0]!.body.map(({ name }: { name: unknown }) => typeof name)).toEqual(['string', 'string']);
    const calls = stack.playground.calls.list({ route: 'graphql' });
    expect(calls).toHaveLength(1);
    for (const call of calls) expect(call.traceparent).toContain(TRACE_ID);
    // the name is for all users, so in the language of none
    expect(JSON.stringify(stack.playground.calls.list({ route: 'graphql' }))).not.toContain('xx-attack');
  });

  test('answers with null names, at once, while the upstream fails', async () => {
    stack.playground.faults.add({ route: 'graphql', times: 0, status: 500 });
    const chanida = await stack.playground.signIn('chanida');
    const before = stack.playground.calls.list({ route: 'graphql' }).length;
    for (let request = 0; request < 10; request += 1) {
      const { status, body } = await hirersOf(chanida);
      expect([status, body[0].name]).toEqual([200, null]);
    }
    expect(stack.playground.calls.list({ route: 'graphql' }).length - before).toBeLessThanOrEqual(1);
  });

  test('lists each hirer with its name and the scopes open to the user', async () => {
    const { status, body } = await hirersOf(await stack.playground.signIn('bayu'));
    expect([status, body.length]).toEqual([200, 2]);
    expect(body).toContainEqual({
      hirerId: 'seekAnzPublicTest:organization:seek:4Kd8mQxT',
      name: 'Nusantara Logistics',
      roles: ['member'],
      scopes: ['query:ontologies', 'query:organizations'],
    });
  });

  test('a user of no hirer gets an empty list, and a caller without a token is refused', async () => {
    expect((await hirersOf(await stack.playground.signIn('dora'))).body).toEqual([]);
    expect((await supertest(stack.url).get('/hirers')).status).toBe(401);
  });
});
