import { gzipSync } from 'node:zlib';
import supertest from 'supertest';
import { Database } from '../../src/storage/database.js';
import { type Answer, startStack, type Stack } from '../support/start-stack.js';
import { jsonHead, openRaw } from '../support/raw-connection.js';
import { storedEvents, storedIds } from '../support/stored.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, sendWebhook, signWebhook, webhookBody } from './send-webhook.js';

const NEW_SECRET = 'new-secret-of-the-upstream';
const OLD_SECRET = 'old-secret-of-the-upstream';

let stack: Stack;
let database: Database;
let storedBefore = 0;

beforeAll(async () => {
  stack = await startStack({ WEBHOOK_SECRETS: `${NEW_SECRET}, ${OLD_SECRET}` });
  database = stack.service.app.get(Database);
});
beforeEach(async () => {
  storedBefore = (await storedIds(database)).length;
});

async function newIds(): Promise<string[]> {
  return (await storedIds(database)).slice(storedBefore);
}

function signed(body: string | Buffer, secret = NEW_SECRET): Promise<Answer> {
  return postWebhook(stack.url, body, { 'seek-signature': signWebhook(body, secret) });
}

describe('an acknowledged webhook', () => {
  test('is stored with all its events, unknown types and members and exact numbers included', async () => {
    const [event, novel] = [anEvent(), anEvent({ type: 'SomethingNew', nested: { a: [1, 'ü'] } })];
    const body = webhookBody([event, novel, { ...anEvent(), big: 'BIG' }]).replace(
      '"BIG"',
      '9007199254740993',
    );
    const response = await signed(body);
    expect([response.status, response.text]).toEqual([204, '']);
    const rows = await storedEvents(database);
    const payloads = rows
      .slice(-3)
      .map(({ payload }) => payload!)
      .sort();
    expect(payloads[0]).toBe(JSON.stringify(event));
    expect(payloads.join()).toContain('"big":9007199254740993');
    expect(payloads.join()).toContain(JSON.stringify(novel));
  });

  test('adds nothing when it is sent again, or contains an event twice', async () => {
    const event = anEvent();
    expect((await sendWebhook(stack.url, NEW_SECRET, [event, event])).status).toBe(204);
    expect((await sendWebhook(stack.url, NEW_SECRET, [event])).status).toBe(204);
    expect(await newIds()).toEqual([event['id']]);
    const stored = (await storedEvents(database)).find(({ id }) => id === event['id']);
    expect(stored).toMatchObject({ received: 3 });
  });

  test('keeps events without a usable id under an id derived from their content', async () => {
    const [event] = [anEvent({ id: undefined })];
    await sendWebhook(stack.url, NEW_SECRET, [event, { ...event, id: 7 }, { ...event, id: 'line\nbreak' }]);
    await sendWebhook(stack.url, NEW_SECRET, [event]);
    const ids = await newIds();
    expect(ids).toHaveLength(3);
    expect(ids.every((id) => /^content:[\da-f]{64}$/.test(id))).toBe(true);
  });

  test.each([
    ['no event at all', 0],
    ['1,000 events, and 60,000 values', 1_000],
  ])('may carry %s', async (_what, count) => {
    const events = [...Array(count).keys()].map((index) => anEvent({ values: Array(50).fill(index) }));
    expect((await sendWebhook(stack.url, NEW_SECRET, events)).status).toBe(204);
    expect(await newIds()).toHaveLength(count);
  });
});

describe('a signature', () => {
  test.each([
    ['the newest secret', NEW_SECRET, 204],
    ['the previous secret', OLD_SECRET, 204],
    ['a secret that was removed', 'forgotten-secret-of-old', 401],
    ['the empty secret', '', 401],
  ])('by %s decides whether the webhook is accepted', async (_name, secret, status) => {
    const body = webhookBody([anEvent()]);
    const response = await signed(body, secret);
    expect(response.status).toBe(status);
    expect(await newIds()).toHaveLength(status === 204 ? 1 : 0);
  });

  test('must be there', async () => {
    for (const body of [webhookBody([anEvent()]), '{"events": [{}]}']) {
      const response = await postWebhook(stack.url, body, {});
      expect([response.status, response.body.code]).toEqual([401, 'invalid_signature']);
    }
  });

  test('of other bytes than those sent is refused, whatever was changed', async () => {
    const body = webhookBody([anEvent({ name: 'Zoë' })]);
    const signature = signWebhook(body, NEW_SECRET);
    const altered = [
      body.replace('Zoë', 'Zoe'),
      JSON.stringify(JSON.parse(body), null, 1),
      Buffer.from(body, 'latin1'),
      `\ufeff${body}`,
      `${body}\n`,
      '',
    ];
    for (const one of altered) {
      expect((await postWebhook(stack.url, one, { 'seek-signature': signature })).status).toBe(401);
    }
    expect(await newIds()).toEqual([]);
  });
});

describe('a body', () => {
  test.each([
    ['no JSON', 'events', 400],
    ['no object', '[]', 400],
    ['events that are no list', '{"events": {}}', 400],
    ['no events', '{"subscriptionId": "x"}', 400],
    ['an event that is not an object', '{"events": ["x"]}', 400],
    ['bytes that are not UTF-8', Buffer.from('{"events":[{"id":"ü"}]}', 'latin1'), 400],
    ['a byte order mark', '\ufeff{"events":[]}', 400],
    ['more than 1,000 events', `{"events":[${'{},'.repeat(1_000)}{}]}`, 400],
    ['more than 60,000 values', `{"events":[{"a":[${'0,'.repeat(60_000)}0]}]}`, 400],
    ['nesting without end', `{"events":[{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`, 400],
    ['more than is taken', `{"events":[{"a":"${'x'.repeat(1_100_000)}"}]}`, 413],
  ])('of %s, signed, is refused', async (_name, body, status) => {
    const response = await signed(body);
    expect([response.status, await newIds()]).toEqual([status, []]);
  });

  test.each([
    ['content-type', 'application/json; charset=UTF-8'],
    ['content-type', 'application/json;CHARSET=utf8;profile=x'],
    ['content-encoding', 'identity'],
    ['content-encoding', ''],
  ])('in UTF-8 as it is is taken, with %s: %s', async (name, value) => {
    const body = webhookBody([anEvent({ name: 'Zoë' })]);
    const signature = signWebhook(body, NEW_SECRET);
    const response = await postWebhook(stack.url, body, { 'seek-signature': signature, [name]: value });
    expect([response.status, await newIds()]).toEqual([204, [expect.any(String)]]);
  });

  test.each([
    ['gzip', { 'content-encoding': 'gzip' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['latin1', { 'content-type': 'application/json; charset=latin1' }],
  ])('in another form is an unsupported media type: %s', async (_name, headers) => {
    const body = gzipSync(webhookBody([anEvent()]));
    const response = await postWebhook(stack.url, body, {
      ...headers,
      'seek-signature': signWebhook(body, NEW_SECRET),
    });
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('the route', () => {
  test('accepts only POST', async () => {
    const response = await supertest(stack.url).get('/webhooks');
    expect([response.status, response.headers['allow']]).toEqual([405, 'POST']);
  });

  test('counts each request by its outcome, and exposes no secret', async () => {
    const { text: metrics } = await supertest(stack.opsUrl).get('/metrics');
    expect(metrics).toMatch(/bff_webhook_requests_total\{outcome="accepted"\} \d/);
    expect(metrics).toMatch(/bff_webhook_requests_total\{outcome="invalid_signature"\} \d/);
    expect(metrics).toMatch(/bff_webhook_signatures_total\{signer="secret 2"\} 1/);
    expect(metrics).toMatch(
      /bff_webhook_events_total\{type="CandidateApplicationCreated",outcome="stored"\} \d/,
    );
    expect(metrics).toMatch(/bff_webhook_events_total\{type="other",outcome="stored"\} 1/);
    for (const secret of [NEW_SECRET, OLD_SECRET]) {
      expect(metrics + stack.logText()).not.toContain(secret);
    }
  });

  test('counts a request whose sender leaves as cancelled, and as nothing else', async () => {
    const counts = async (): Promise<string[]> => {
      const { text } = await supertest(stack.opsUrl).get('/metrics');
      return text.split('\n').filter((line) => line.startsWith('bff_webhook_requests_total'));
    };
    const before = await counts();
    const { socket } = await openRaw(stack.url, `${jsonHead('POST', '/webhooks', 100)}{`);
    socket.destroy();
    const cancelled = 'bff_webhook_requests_total{outcome="cancelled"} 1';
    await until(async () => (await counts()).includes(cancelled));
    expect((await counts()).filter((line) => !before.includes(line))).toEqual([cancelled]);
  });

  test('does not exist without a secret', async () => {
    const bare = await startStack({ WEBHOOK_SECRETS: '' });
    const response = await sendWebhook(bare.url, '', [anEvent()]);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });
});
