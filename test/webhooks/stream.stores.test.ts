import supertest from 'supertest';
import { startStack, type Stack } from '../support/start-stack.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, BANKSIA, CHAO_PHRAYA, Listener, NUSANTARA, sendWebhook } from './send-webhook.js';

const SECRET = 'secret-of-the-upstream';
const SETTINGS = { WEBHOOK_SECRETS: SECRET };

describe.each(testDatabases())('the stream of events, over $name', ({ name, open }) => {
  let test_: TestDatabase;
  let stack: Stack;
  let amelia: string;
  const open_: Listener[] = [];

  beforeAll(async () => {
    test_ = await open();
    stack = await startStack({ ...SETTINGS, ...test_.settings });
    amelia = await stack.playground.signIn('amelia');
  });
  afterEach(() => {
    for (const listener of open_.splice(0)) listener.close();
  });

  async function listen(token = amelia, headers = {}, url = stack.url): Promise<Listener> {
    const listener = await Listener.open(url, token, headers);
    open_.push(listener);
    await until(() => listener.text.startsWith(': open') || listener.ended);
    return listener;
  }

  test('sends the events of the user’s own hirers as they arrive, and no others', async () => {
    const listener = await listen();
    const sent = [
      anEvent({ hirerId: CHAO_PHRAYA }),
      anEvent({ hirerId: BANKSIA }),
      anEvent({ hirerId: undefined }),
      anEvent({ hirerId: NUSANTARA }),
    ];
    const ours = { object: { forged: true }, objectErrors: ['forged'], redeliveryOf: 'forged' };
    await sendWebhook(stack.url, SECRET, [...sent.slice(0, 3), { ...sent[3], ...ours }]);
    await until(() => listener.ids.length >= 2);
    expect(listener.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(listener.response.headers.get('cache-control')).toBe('no-store, no-transform'); // a proxy that compresses holds it
    expect(listener.events.map(({ data }) => data)).toEqual([sent[1], sent[3]]);
  });

  test('continues after the last event the browser has, if it belongs to one of the user’s hirers', async () => {
    const [first, foreign, second] = [
      anEvent(),
      anEvent({ hirerId: CHAO_PHRAYA }),
      anEvent({ hirerId: NUSANTARA }),
    ];
    await sendWebhook(stack.url, SECRET, [first, foreign, second]);
    const resumed = await listen(amelia, { 'last-event-id': String(first['id']) });
    await until(() => resumed.ids.length > 0);
    expect(resumed.ids).toEqual([second['id']]);
    const guessing = await listen(amelia, { 'last-event-id': String(foreign['id']) });
    const next = anEvent();
    await sendWebhook(stack.url, SECRET, [next]);
    await until(() => guessing.ids.length > 0);
    expect(guessing.ids).toEqual([next['id']]);
  });

  test('sends more than a page at once, in order', async () => {
    const first = anEvent();
    await sendWebhook(stack.url, SECRET, [first]);
    const many = Array.from({ length: 230 }, () => anEvent());
    await sendWebhook(stack.url, SECRET, many);
    const listener = await listen(amelia, { 'last-event-id': String(first['id']) });
    await until(() => listener.ids.length >= 230);
    expect(listener.ids).toEqual(many.map(({ id }) => id));
  });

  test('sends nothing more of a hirer once the membership has ended', async () => {
    const listener = await listen();
    const address = `${stack.opsUrl}/memberships/amelia/${encodeURIComponent(BANKSIA)}`;
    expect((await supertest(address).delete('')).status).toBe(204);
    const [lost, kept] = [anEvent({ hirerId: BANKSIA }), anEvent({ hirerId: NUSANTARA })];
    await sendWebhook(stack.url, SECRET, [lost, kept]);
    await until(() => listener.ids.length > 0);
    expect(listener.ids).toEqual([kept['id']]);
    await supertest(address).put('');
  });

  test('is for signed-in users, ten streams each, and has no HEAD', async () => {
    expect((await supertest(stack.url).get('/events/stream')).status).toBe(401);
    const listeners = await Promise.all(Array.from({ length: 10 }, () => listen()));
    expect(listeners.every(({ response }) => response.status === 200)).toBe(true);
    const eleventh = await listen();
    expect([eleventh.response.status, eleventh.response.headers.get('retry-after')]).toEqual([429, '30']);
    listeners[0]!.close();
    await until(async () => (await listen()).response.status === 200);
    const headers = { authorization: `Bearer ${amelia}` };
    const head = await supertest(stack.url).head('/events/stream').set(headers);
    expect([head.status, head.headers['allow']]).toEqual([405, 'GET']);
  });

  test('works across replicas, and ends when the service stops', async () => {
    const shared = name === 'PostgreSQL';
    const other = shared ? await startStack({ ...SETTINGS, ...test_.settings }, stack.playground) : stack;
    const listener = await listen(await stack.playground.signIn('bayu'), {}, other.url);
    const event = anEvent({ hirerId: NUSANTARA });
    await sendWebhook(stack.url, SECRET, [event]);
    await until(() => listener.ids.length > 0);
    expect(listener.ids).toEqual([event['id']]);
    await other.service.close();
    await until(() => listener.ended);
  });
});

test('each stream that is opened counts in the request limit', async () => {
  const { url, playground } = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '1' });
  const token = await playground.signIn('amelia');
  const opened = [await Listener.open(url, token), await Listener.open(url, token)];
  expect(opened.map(({ response }) => response.status)).toEqual([200, 429]);
  for (const listener of opened) listener.close();
});
