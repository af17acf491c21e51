import supertest from 'supertest';
import { type Json, askToken } from '../support/ask-token.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'a-webhook-secret-of-this-test';

let stack: Stack;
let server: JsonServer | undefined;
afterEach(async () => {
  await stack.close();
  await server?.close();
  server = undefined;
});

async function readyz(): Promise<{ status: number; body: Json }> {
  return supertest(stack.opsUrl).get('/readyz');
}

/** Waits until the dependency is degraded, which must not make the replica unready. */
async function degraded(dependency: string): Promise<string> {
  await until(async () => (await readyz()).body.checks[dependency]?.state === 'degraded');
  const { status, body } = await readyz();
  expect([status, body.status]).toEqual([200, 'degraded']);
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  expect(text).toContain(`bff_dependency_state{dependency="${dependency}",state="degraded"} 1`);
  return body.checks[dependency].reason;
}

async function askForTokens(times: number): Promise<void> {
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const token = await stack.playground.signIn('amelia');
  for (let n = 0; n < times; n += 1) await askToken(stack, token, { hirerId, scope: 'query:organizations' });
}

describe('a dependency that fails is reported, and the replica stays ready: it could do nothing about it', () => {
  test('the upstream, and its recovery', async () => {
    stack = await startStack({ EVENTS_SCHEME_ID: '', RATE_LIMIT_MINTS_PER_MINUTE: '0' });
    const { body } = await readyz();
    expect(body.checks.upstream).toEqual({ state: 'up' });
    stack.playground.faults.add({ route: 'auth-token', times: 0, status: 500 });
    await askForTokens(4);
    expect(await degraded('upstream')).toBe('token: 5xx');
    stack.playground.faults.clear();
    for (const scope of ['query:organizations', 'query:ontologies', 'query:ad-products']) {
      const { hirerId } = stack.playground.demo.hirers[0]!;
      await askToken(stack, await stack.playground.signIn('amelia'), { hirerId, scope });
      const { hirerId: other } = stack.playground.demo.hirers[1]!;
      await askToken(stack, await stack.playground.signIn('amelia'), { hirerId: other, scope });
    }
    await until(async () => (await readyz()).body.checks.upstream.state === 'up');
  });

  test('the issuer', async () => {
    stack = await startStack({ EVENTS_SCHEME_ID: '' });
    await until(async () => (await readyz()).status === 200);
    stack.playground.tokens.revoke({ kind: 'partner' });
    stack.playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
    await until(async () => {
      await askForTokens(1); // until it was asked three times, with the pauses in between
      return (await readyz()).body.checks.issuer.state === 'degraded';
    });
    expect(await degraded('issuer')).toBe('issuer: status 503');
  });

  test('the membership service, and its recovery', async () => {
    server = await startJsonServer(json({}, 500));
    stack = await startStack({
      EVENTS_SCHEME_ID: '',
      HIRER_ACCESS: 'http',
      HIRER_ACCESS_URL: server.url.href,
    });
    const { body } = await readyz();
    expect(body.checks['membership-service']).toEqual({ state: 'up' });
    await askForTokens(3);
    expect(await degraded('membership-service')).toBe('membership-service: answered with status 500');
    server.answer = (_received, response) => void response.destroy();
    await askForTokens(1);
    expect(await degraded('membership-service')).toBe('membership-service: connection');
    server.answer = json({ memberships: [], maxAgeSeconds: 0 });
    await askForTokens(5);
    expect((await readyz()).body.checks['membership-service']).toEqual({ state: 'up' });
  });

  test('the event sink; without one, it is no dependency', async () => {
    server = await startJsonServer(json({}, 500));
    stack = await startStack({
      WEBHOOK_SECRETS: SECRET,
      EVENTS_SCHEME_ID: '',
      EVENT_SINK_URL: server.url.href,
      EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    });
    await sendWebhook(stack.url, SECRET, [anEvent(), anEvent(), anEvent()]);
    expect(await degraded('event-sink')).toBe('sink: status 500');
    await stack.close();
    stack = await startStack({ EVENTS_SCHEME_ID: '' });
    expect(Object.keys((await readyz()).body.checks).sort()).toEqual([
      'cache',
      'database',
      'end-user-keys',
      'issuer',
      'partner-token',
      'upstream',
    ]);
  });
});
