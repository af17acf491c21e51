import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { Webhook } from 'standardwebhooks';
import { newFolder } from '../support/machine.js';
import { json, startJsonServer, type JsonServer, type ReceivedRequest } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, HIRER_PAIRS, sendWebhook, type SentEvent } from './send-webhook.js';

const SECRET = 'secret-of-the-upstream';
const SINK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;

let sink: JsonServer;
let stack: Stack;
/** Deliveries that the receiver has handled: it drops those whose `webhook-id` it has seen. */
let handled: { headers: ReceivedRequest['headers']; data: SentEvent }[];
const settings = {
  DATA_DIR: newFolder(),
  WEBHOOK_SECRETS: SECRET,
  EVENT_SINK_SECRET: SINK_SECRET,
  EVENT_SINK_RETRY_SECONDS: '0.2,0.2,600',
};

beforeAll(async () => {
  sink = await startJsonServer(json({}));
  stack = await startStack({ ...settings, EVENT_SINK_URL: sink.url.href });
});
beforeEach(() => {
  handled = [];
  (sink.received as unknown[]).length = 0;
  const seen = new Set<unknown>();
  sink.answer = (received, response) => {
    const { data } = new Webhook(SINK_SECRET).verify(received.body, received.headers as never) as {
      data: SentEvent;
    };
    const id = received.headers['webhook-id'];
    if (!seen.has(id)) handled.push({ headers: received.headers, data });
    seen.add(id);
    response.writeHead(204).end();
  };
});

const post = (path: string, body?: object) => supertest(stack.opsUrl).post(path).send(body);
const redeliver = (id: unknown, body?: object) =>
  post(`/events/${encodeURIComponent(String(id))}/redeliver`, body);

test.each(HIRER_PAIRS)(
  'a receiver that drops repeats by webhook-id handles an event again only as new, of %s',
  async (one, other) => {
    const [event, untouched] = [anEvent({ hirerId: one, big: 1 }), anEvent({ hirerId: other })];
    await sendWebhook(stack.url, SECRET, [event, untouched]);
    await until(() => handled.length === 2);

    expect((await redeliver(event['id'])).status).toBe(202);
    await until(() => sink.received.length === 3);
    const again = sink.received[2]!.headers;
    expect([again['webhook-id'], again['webhook-repeat']]).toEqual([event['id'], 'operator']);
    expect(handled).toHaveLength(2);

    const { status, body } = await redeliver(event['id'], { asNew: true });
    await until(() => handled.length === 3);
    const { headers, data } = handled[2]!;
    expect([status, body.webhookId, body.id]).toEqual([202, headers['webhook-id'], event['id']]);
    expect(headers['webhook-id']).not.toBe(event['id']);
    expect(headers['webhook-repeat']).toBe('operator');
    expect(data).toEqual({
      ...event,
      redeliveryOf: event['id'],
      objectErrors: [{ code: 'BAD_USER_INPUT', path: ['candidateApplicationProfileId'] }],
    });

    await redeliver(event['id']);
    await until(() => sink.received.length === 5);
    expect(sink.received[4]!.headers['webhook-id']).toBe(event['id']);
    expect(handled.filter((one_) => one_.data['id'] === untouched['id'])).toHaveLength(1);
    const { body: audit } = await supertest(stack.opsUrl).get('/audit?action=event.redeliver');
    const subjects = audit.items.map(({ subject }: { subject: string }) => subject);
    expect(subjects).toContain(`${String(event['id'])} asNew=true`);
  },
);

test.each(HIRER_PAIRS)(
  'all that match a filter are redelivered as new, in whatever state, each under an id of its own, of %s',
  async (one, other) => {
    const type = `Of${one.replaceAll(/\W/g, '')}`;
    const events = [1, 2, 3].map(() => anEvent({ hirerId: one, type }));
    await sendWebhook(stack.url, SECRET, [...events, anEvent({ hirerId: other, type })]);
    await until(() => handled.length === 4);
    const body = { type, hirer: one, asNew: true };
    const delivered = { ...body, state: 'delivered', dryRun: true };
    await until(async () => (await post('/events/redeliver', delivered)).body.total === 3);
    expect((await post('/events/redeliver', { dryRun: true })).body.total).toBeGreaterThanOrEqual(4);
    const started = await post('/events/redeliver', body);
    expect([started.status, started.body]).toEqual([202, { total: 3 }]);
    await until(() => handled.length === 7);
    const again = handled.slice(4).map(({ data }) => data['redeliveryOf']);
    expect(again.sort()).toEqual(events.map(({ id }) => id).sort());
  },
);

test('a body of another shape redelivers nothing', async () => {
  const event = anEvent();
  await sendWebhook(stack.url, SECRET, [event]);
  await until(() => handled.length === 1);
  for (const body of [{ asNew: 'yes' }, { asnew: true }]) {
    expect((await redeliver(event['id'], body)).status).toBe(400);
  }
  expect(sink.received).toHaveLength(1);
});

test('a redelivery as new keeps its id over retries and a restart', async () => {
  const event = anEvent();
  await sendWebhook(stack.url, SECRET, [event]);
  await until(() => handled.length === 1);
  const accept = sink.answer;
  sink.answer = json({}, 500);
  await redeliver(event['id'], { asNew: true });
  await until(() => sink.received.length === 4);
  await stack.close();
  sink.answer = accept;
  stack = await startStack({ ...settings, EVENT_SINK_URL: sink.url.href });
  await sendWebhook(stack.url, SECRET, [anEvent()]); // the sink has answered again
  await until(() => handled.some(({ data }) => data['redeliveryOf'] === event['id']));
  const ids = sink.received
    .filter(({ headers }) => headers['webhook-repeat'] === 'operator')
    .map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([4, 1]);
});
