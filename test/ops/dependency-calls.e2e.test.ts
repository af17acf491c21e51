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
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const amelia = await stack.playground.signIn('amelia');
  expect((await askToken(stack, amelia, { hirerId, scope: 'query:organizations' })).status).toBe(403);
  await sendWebhook(stack.url, SECRET, [anEvent()]);
  await until(() => sink.received.length > 0);
});

test('each call to membership service and sink names the service, asks for a body without a content encoding, and has an id and a trace', () => {
  for (const { headers } of [members.received[0]!, sink.received[0]!]) {
    expect(headers['user-agent']).toBe('partner/1.0');
    expect(headers['accept-encoding']).toBe('identity');
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    expect(headers['traceparent']).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
  }
});
