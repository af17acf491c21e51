import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { startStack, type Stack } from '../support/start-stack.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'secret-of-the-upstream';
const HIRER = encodeURIComponent('seekAnzPublicTest:organization:seek:unknown');

let stack: Stack;
let eventId: string;
beforeAll(async () => {
  stack = await startStack({
    WEBHOOK_SECRETS: SECRET,
    EVENT_SINK_URL: 'http://127.0.0.1:9/',
    EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const event = anEvent();
  await sendWebhook(stack.url, SECRET, [event]);
  eventId = String(event['id']);
});
afterAll(() => stack.close());

type Method = 'get' | 'post' | 'put' | 'delete';

async function act(method: Method, path: string, body?: object): Promise<[number, string[]]> {
  const requestId = randomUUID();
  const headers = { 'x-request-id': requestId, 'x-ops-actor': 'anna' };
  const { status } = await supertest(stack.opsUrl)[method](path).set(headers).send(body);
  const audit = await supertest(stack.opsUrl).get(`/audit?request=${requestId}`);
  const items = audit.body.items as { action: string; outcome: string; actor: string }[];
  return [status, items.map(({ action, outcome, actor }) => `${action} ${outcome} ${actor}`)];
}

const FAILED = { state: 'failed' };

test.each<[Method, string, object | undefined, number, string]>([
  ['put', `/memberships/zoe/${HIRER}`, undefined, 200, 'membership.grant ok anna'],
  ['delete', `/memberships/zoe/${HIRER}`, undefined, 204, 'membership.revoke ok anna'],
  ['put', '/log-level', { level: 'info' }, 200, 'log.level ok anna'],
  ['get', '/events/EVENT', undefined, 200, 'event.view ok anna'],
  ['get', '/events/unknown', undefined, 404, 'event.view not_found anna'],
  ['post', '/events/EVENT/redeliver', undefined, 202, 'event.redeliver ok anna'],
  ['post', '/events/unknown/redeliver', undefined, 404, 'event.redeliver not_found anna'],
  ['post', '/events/redeliver', FAILED, 202, 'redelivery.start ok anna'],
  ['delete', `/relationships/${HIRER}`, undefined, 404, 'relationship.settle not_found anna'],
])(
  '%s %s %j leaves exactly one audit record, with its outcome',
  async (method, path, body, status, record) => {
    expect(await act(method, path.replace('EVENT', eventId), body)).toEqual([status, [record]]);
  },
);
