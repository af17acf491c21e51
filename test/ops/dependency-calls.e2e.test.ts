import supertest from 'supertest';
import { askToken, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'secret-of-the-upstream';

let members: JsonServer;
let sink: JsonServer;
let stack: Stack;
beforeAll(async () => {
  members = await startJsonServer(json({ memberships: [] }));
  sink = await startJsonServer(json({}, 500));
  stack = await startStack({
    HIRER_ACCESS: 'http',
    HIRER_ACCESS_URL: members.url.href,
    ...webhookSettings(SECRET, sink),
    USER_AGENT: 'partner/1.0',
  });
});

test('calls to JWK set, membership service and sink are measured by outcome, and not as upstream calls', async () => {
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const amelia = await stack.playground.signIn('amelia');
  expect((await askToken(stack, amelia, { hirerId, scope: 'query:organizations' })).status).toBe(403);
  await sendWebhook(stack.url, SECRET, [anEvent()]);
  const metrics = async (): Promise<string> => (await supertest(stack.opsUrl).get('/metrics')).text;
  const count = (dependency: string, outcome: string): string =>
    `bff_dependency_request_duration_seconds_count{dependency="${dependency}",outcome="${outcome}"} 1`;
  await until(async () => (await metrics()).includes(count('event-sink', '5xx')));
  const text = await metrics();
  expect(text).toContain(count('end-user-keys', '2xx'));
  expect(text).toContain(count('membership-service', '2xx'));
  expect(text).not.toMatch(/bff_upstream_\w+\{target="(end-user-keys|membership-service|event-sink)"/);
});

test('each of them names the service, asks for a body without a content encoding, and has an id and a trace', () => {
  for (const { headers } of [members.received[0]!, sink.received[0]!]) {
    expect(headers['user-agent']).toBe('partner/1.0');
    expect(headers['accept-encoding']).toBe('identity');
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(headers['traceparent']).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
  }
});
