import supertest from 'supertest';
import { type Json, askToken, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, webhookSettings } from '../support/json-server.js';
import { openRaw } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'a-webhook-secret-of-the-search-test';

let stack: Stack;
let hirerId: string;
let eventId: string;
beforeAll(async () => {
  const sink = await startJsonServer(json({}, 410));
  stack = await startStack(webhookSettings(SECRET, sink));
  ({ hirerId } = stack.playground.demo.hirers[0]!);
  const event = anEvent({ secretDetail: 'only for those who look' });
  eventId = String(event['id']);
  await sendWebhook(stack.url, SECRET, [event]);
  await until(async () => (await get('/events?state=dead')).items.length === 1);
});

async function get(path: string): Promise<Json> {
  return (await supertest(stack.opsUrl).get(path)).body;
}

describe('what an operator knows leads to the records', () => {
  test("a user's own subject, by the pseudonym that the audit trail holds", async () => {
    const token = await stack.playground.signIn('amelia');
    const { headers } = await askToken(stack, token, { hirerId, scope: 'query:organizations' });
    const { user } = await get('/users?subject=amelia');
    const { items } = await get(`/audit?user=${user}&action=token`);
    expect(items).toMatchObject([{ requestId: headers['x-request-id'], hirerId }]);
  });

  test.each([
    ['part of the name, in any case', (name: string) => name.slice(1, 6).toUpperCase()],
    ['the end of the id', () => hirerId.slice(-8)],
  ])('a hirer, by %s', async (_, textOf) => {
    const { name } = stack.playground.demo.hirers[0]!;
    const { items } = await get(`/hirer-search?search=${encodeURIComponent(textOf(name))}`);
    expect(items).toEqual([{ hirerId, name }]);
  });

  test('a search without a match is an empty list; one without a text is refused by name', async () => {
    expect(await get('/hirer-search?search=nobody')).toMatchObject({ items: [], next: null });
    for (const path of ['/hirer-search', '/hirer-search?search=', '/users', '/users?subject=a&subject=b']) {
      const { status, body } = await supertest(stack.opsUrl).get(path);
      expect([path, status, body.errors?.length]).toEqual([path, 400, 1]);
    }
  });
});

describe('events', () => {
  test.each([
    [{}, 'state'],
    [{ sink: 'default', until: null }, 'state'],
    [{ state: 'pending' }, 'state'],
    [{ state: 'dead', since: 'yesterday' }, 'since'],
    [{ state: 'dead', dryRun: 'yes' }, 'dryRun'],
    [{ state: 'dead', hirerId: 'x' }, 'hirerId'],
  ])('nothing is redelivered by %j: the fault is named', async (body, field) => {
    const answer = await supertest(stack.opsUrl).post('/events/redeliver').send(body);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('a page of another site in the browser of an operator', () => {
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  const views = async () => (await get('/audit?action=event.view')).items.length as number;

  test.each(['cross-site', 'same-site'])('cannot act by an image: %s', async (site) => {
    const before = await views();
    for (const path of [`/events/${eventId}`, '/hirer-search?search=a', '/']) {
      const answer = await supertest(stack.opsUrl)
        .get(path)
        .set({ ...image, 'sec-fetch-site': site });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'csrf_failed']);
    }
    await get(`/events/${eventId}`);
    await until(async () => (await views()) > before);
    expect(await views()).toBe(before + 1);
  });

  const followed = { ...image, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  /** The status of a request as a browser would write it, of any method. */
  async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
    const { host } = new URL(stack.opsUrl);
    const lines = Object.entries({ host, ...headers, connection: 'close', 'content-length': '0' });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const { closed, received } = await openRaw(stack.opsUrl, `${method} ${path} HTTP/1.1\r\n${head}\r\n`);
    await closed;
    return Number(received().split(' ')[1]);
  }

  test('may link to the dashboard, and to nothing that holds data or leaves a record', async () => {
    for (const method of ['GET', 'HEAD']) expect(await statusOf(method, '/', followed)).toBe(200);
    for (const path of ['/audit', `/events/${eventId}`, '/metrics', '/dashboard/figures', '/unknown']) {
      for (const method of ['GET', 'HEAD']) expect(await statusOf(method, path, followed)).toBe(403);
    }
  });

  test.each([
    ['followed, with Fetch Metadata', followed],
    ['followed from a sibling site', { ...followed, 'sec-fetch-site': 'same-site' }],
    ['with a foreign Origin alone', { origin: 'https://evil.test' }],
    ['with an opaque Origin alone', { origin: 'null' }],
    ['with both', { ...followed, origin: 'https://evil.test' }],
  ])('cannot act by a form or a script, whatever the method: %s', async (_name, headers) => {
    const actions = async () => (await get('/audit')).items.map(({ requestId }: Json) => requestId);
    const before = await actions();
    const paths = ['/', '/secrets/reload', `/events/${eventId}/redeliver`, '/livez'];
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      for (const path of paths) {
        expect([method, path, await statusOf(method, path, headers)]).toEqual([method, path, 403]);
      }
    }
    expect(await actions()).toEqual(before);
  });
});
