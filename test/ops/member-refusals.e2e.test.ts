import supertest from 'supertest';
import { DEMO } from '../../playground/src/demo.js';
import { askToken, linesWith, type Answer, type Json, startStack, useStack } from '../support/start-stack.js';

const [BANKSIA, , CHAO_PHRAYA] = DEMO.hirers.map(({ hirerId }) => hirerId) as [string, string, string];
const RECORDED = 300;
const FEW = 20;

async function recordsOfAmelia(opsUrl: string): Promise<Json[]> {
  const { user } = (await supertest(opsUrl).get('/users?subject=amelia')).body;
  const { items } = (await supertest(opsUrl).get('/audit').query({ user })).body;
  expect(items[0].user).toBe(user);
  const { text } = await supertest(opsUrl).get('/audit/export').query({ user }).buffer();
  const records: Json[] = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return records.filter(({ action }) => action === 'token');
}

test('a request that the upstream has heard of has a record of its own, however many fail', async () => {
  const stack = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0', RATE_LIMIT_MINTS_PER_MINUTE: '0' });
  stack.playground.faults.add({ route: 'auth-token', times: 0, status: 500 });
  const token = await stack.playground.signIn('amelia');
  for (let sent = 0; sent < RECORDED + FEW; sent += 1) {
    expect((await askToken(stack, token, { hirerId: BANKSIA, scope: 'query:ontologies' })).status).toBe(502);
  }
  const records = await recordsOfAmelia(stack.opsUrl);
  expect(records).toHaveLength(RECORDED + FEW);
});

describe('a refused record', () => {
  const stack = useStack();

  /** The record of a request, and its line in the log. */
  async function traceOf({ headers }: Answer): Promise<{ record: Json; line: string }> {
    const request = headers['x-request-id']!;
    const [line] = await linesWith(stack, request);
    const { items } = (await supertest(stack.opsUrl).get('/audit').query({ request })).body;
    return { record: items[0], line: line! };
  }

  test.each<[string, object]>([
    ['a scope of 10 kB', { hirerId: BANKSIA, scope: 'x'.repeat(10_000) }],
    [
      'a hundred scopes',
      { hirerId: BANKSIA, scope: Array.from({ length: 100 }, (_, n) => `s${n}`).join(' ') },
    ],
    ['a hirerId of 10 kB', { hirerId: `a:${'"'.repeat(10_000)}`, scope: 'query:ontologies' }],
    ['the longest hirerId, of quotes', { hirerId: `a:${'"'.repeat(253)}`, scope: 'query:ontologies' }],
    ['the longest scope, and one more', { hirerId: BANKSIA, scope: `query:ontologies ${'x'.repeat(495)}` }],
    [
      'the longest scopes',
      { hirerId: BANKSIA, scope: Array.from({ length: 10 }, (_, n) => `${n}`.repeat(50)).join(' ') },
    ],
  ])(
    'of a request with %s holds at most ten short scopes, and its log line is short',
    async (_name, body) => {
      const answer = await askToken(stack, await stack.playground.signIn('amelia'), body);
      expect([400, 403]).toContain(answer.status);
      const { record, line } = await traceOf(answer);
      const scopesAsked = record.scopesAsked ?? [];
      expect(scopesAsked.length).toBeLessThanOrEqual(10);
      for (const scope of scopesAsked) expect(scope.length).toBeLessThanOrEqual(101);
      expect(JSON.stringify(record).length).toBeLessThan(1_500);
      expect(line.length).toBeLessThan(1_500);
    },
  );

  test('of an array of operations names at most ten of them', async () => {
    const wide = await startStack({ BATCH_LIMIT: '100' });
    const items = Array.from({ length: 50 }, () => ({ documentId: 'PositionOpenings' }));
    const answer = await supertest(wide.url)
      .post('/graphql')
      .set({ authorization: `Bearer ${await wide.playground.signIn('amelia')}`, 'x-hirer-id': CHAO_PHRAYA })
      .send(items);
    const request = answer.headers['x-request-id']!;
    const { items: records } = (await supertest(wide.opsUrl).get('/audit').query({ request })).body;
    expect(records[0]).toMatchObject({ outcome: 'hirer_forbidden' });
    expect(records[0].operations).toHaveLength(10);
  });
});
