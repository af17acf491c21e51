import { randomBytes } from 'node:crypto';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import supertest from 'supertest';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

const OLD_SECRET = 'the-old-secret-of-webhooks';
const NEW_SECRET = 'the-new-secret-of-webhooks';
const SINK_KEY = `whsec_${randomBytes(32).toString('base64')}`;
const secretFile = join(mkdtempSync(join(tmpdir(), 'webhooks-')), 'secrets');

let stack: Stack;
let sink: JsonServer;

beforeAll(async () => {
  sink = await startJsonServer(json({}, 200));
  writeFileSync(secretFile, OLD_SECRET);
  stack = await startStack(
    {
      WEBHOOK_SECRETS: '',
      WEBHOOK_SECRETS_FILE: secretFile,
      EVENTS_SCHEME_ID: '',
      EVENT_SINK_URL: sink.url.href,
      EVENT_SINK_SECRET: SINK_KEY,
    },
    { delivery: { retryDelaysMs: [20, 50, 100, 200, 400, 1_000, 2_000, 4_000, 8_000, 16_000] } },
  );
});
afterAll(async () => {
  await stack.close();
  await sink.close();
});

test('duplicated, reordered, ten at a time, with a secret rotated halfway: no event is lost or misnamed', async () => {
  const { playground, url, opsUrl, service } = stack;
  const receiver = { url: `${url}/webhooks`, eventTypeCodes: ['PositionProfilePosted'] };
  playground.subscribe({ ...receiver, secret: OLD_SECRET });
  playground.webhooks.setMischief({ duplicateNext: 40, reorderNext: 40, paused: true });
  const events = Array.from({ length: 400 }, () => playground.events.emit('PositionProfilePosted'));
  playground.webhooks.setMischief({ paused: false });
  await playground.webhooks.settled();

  playground.webhooks.subscriptions.clear();
  playground.subscribe({ ...receiver, secret: NEW_SECRET });
  events.push(...Array.from({ length: 200 }, () => playground.events.emit('PositionProfilePosted')));
  await playground.webhooks.settled(); // all refused: the new secret is not known yet
  writeFileSync(secretFile, `${NEW_SECRET},${OLD_SECRET}`);
  service.reloadSecrets();

  await until(
    () => new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size === events.length,
  );
  const sent = new Map(events.map((event) => [event.id, event]));
  for (const { body, headers } of sink.received) {
    const verified = new Webhook(SINK_KEY).verify(body, headers as Record<string, string>) as {
      type: string;
      data: Record<string, unknown>;
    };
    const event = sent.get(String(headers['webhook-id']))!;
    expect(verified.data).toMatchObject({ id: event.id, hirerId: event.hirerId, ...event.members });
  }
  const { text } = await supertest(opsUrl).get('/metrics');
  const counted = (outcome: string): number =>
    Number(
      new RegExp(
        `bff_webhook_events_total\\{type="PositionProfilePosted",outcome="${outcome}"\\} (\\d+)`,
      ).exec(text)?.[1],
    );
  expect([counted('stored'), counted('repeated')]).toEqual([600, 400]);
});

test('operators list events and redeliver one under its id, which is audited', async () => {
  const page = (await supertest(stack.opsUrl).get('/events?state=delivered&type=PositionProfilePosted')).body;
  const [event] = page.items;
  expect(page.items).toHaveLength(100);
  expect(page.next).toMatch(/^\d+$/);
  expect(event).toMatchObject({ state: 'delivered', attempts: 1, payload: { id: event.id } });
  expect(event.subscriptionId).toMatch(/webhookSubscription/);
  const before = sink.received.length;
  const address = `${stack.opsUrl}/events/${encodeURIComponent(event.id)}/redeliver`;
  const answer = await supertest(address).post('').set({ 'x-ops-actor': 'Kim' });
  expect([answer.status, answer.body.id, answer.body.state]).toEqual([202, event.id, 'pending']);
  await until(() => sink.received.length === before + 1);
  expect(sink.received.at(-1)!.headers['webhook-id']).toBe(event.id);
  const unknown = await supertest(stack.opsUrl).post('/events/none/redeliver');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  const audit = (await supertest(stack.opsUrl).get('/audit?action=event.redeliver')).body;
  expect(audit.items).toMatchObject([
    { outcome: 'not_found', subject: 'none' },
    { outcome: 'ok', subject: event.id, hirerId: event.hirerId, actor: 'Kim' },
  ]);
  for (const query of ['state=lost', 'after=x', 'foo=1']) {
    expect((await supertest(stack.opsUrl).get(`/events?${query}`)).body.code).toBe('invalid_request');
  }
  expect((await supertest(stack.url).get('/events')).status).toBe(404);
});
