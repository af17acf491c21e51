import type { FastifyInstance } from 'fastify';
import type { ListenersAdapter } from '../../src/http/incoming/listeners-adapter.js';
import type { Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { startStoreOutage } from '../support/test-database.js';
import { SINK_SECRET } from '../support/json-server.js';
import { anEvent, postWebhook, sendWebhook, signWebhook, webhookBody } from '../webhooks/send-webhook.js';

const SECRET = 'secret-of-the-upstream';
const SETTINGS = {
  WEBHOOK_SECRETS: SECRET,
  RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
  EVENT_SINK_URL: 'http://127.0.0.1:9/', // refuses connections
  EVENT_SINK_SECRET: SINK_SECRET,
};
const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const WEBHOOK = webhookBody([anEvent()]);

/** The request with which a route gets as far as the database; all others get an empty object. */
const BODIES: Readonly<Record<string, string>> = {
  'POST /auth/token': JSON.stringify({ hirerId: HIRER, scope: 'query:organizations' }),
  'POST /graphql': JSON.stringify({ query: 'query q { self { hirer { name } } }' }),
  'POST /webhooks': WEBHOOK,
  'POST /events/redeliver': JSON.stringify({ state: 'dead' }),
  'PUT /memberships/:user/:hirerId': JSON.stringify({ roles: ['member'] }),
};
const QUERIES: Readonly<Record<string, string>> = {
  '/hirer-search': '?search=acme',
  '/users': '?subject=zoe',
};

/** All but TRACE, which `fetch` does not send; no route has it. */
const ASKED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Of the embedded database alone. */
const BACKUP = 'POST /backup';

/** Routes that need the database for what they are asked here, besides {@link BACKUP}. */
const NEED_DATABASE = [
  'DELETE /memberships/:user/:hirerId',
  'DELETE /users/:user',
  'GET /audit',
  'GET /audit/export',
  'GET /events',
  'GET /events/:id',
  'GET /events/stream',
  'GET /hirer-search',
  'GET /hirers',
  'GET /memberships',
  'GET /readyz',
  'GET /users/:user/export',
  'POST /auth/token',
  'POST /events/:id/redeliver',
  'POST /events/redeliver',
  'POST /graphql',
  'POST /webhooks',
  'PUT /memberships/:user/:hirerId',
];

/** Actions that fail meanwhile, and have their records afterwards. */
const CHANGES = ['membership.grant', 'membership.revoke', 'event.redeliver'];

async function unavailableActions(opsUrl: string): Promise<Set<string>> {
  const { items } = (await (await fetch(`${opsUrl}/audit?outcome=unavailable`)).json()) as {
    items: { action: string }[];
  };
  return new Set(items.map(({ action }) => action));
}

/** The addresses of a listener, read from the tree that Fastify prints. */
function addressesOf(listener: FastifyInstance): string[] {
  const above: string[] = [];
  return listener
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part] = /^([^/\w]*)(\S+) \(/.exec(line) ?? [];
      if (part === undefined) return [];
      const depth = indent!.length / 4 - 1;
      above[depth] = (above[depth - 1] ?? '') + part;
      return [above[depth]];
    });
}

/** The status of the answer; its body, which may never end, is not read. */
async function statusOf(origin: string, method: string, address: string, authorization: string) {
  const route = `${method} ${address}`;
  const path = address.replaceAll(/:\w+/g, encodeURIComponent(HIRER)) + (QUERIES[address] ?? '');
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(origin + path, {
    method,
    headers: {
      authorization,
      'x-hirer-id': HIRER,
      'seek-signature': signWebhook(WEBHOOK, SECRET),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body: BODIES[route] ?? '{}' }),
  });
  await answer.body?.cancel();
  return [route, answer.status] as const;
}

/** The status that every method of every address of both listeners answers with, but those of no route (405). */
async function askEverything({ service, url, opsUrl, playground }: Stack) {
  const adapter = service.app.getHttpAdapter() as unknown as ListenersAdapter;
  const authorization = `Bearer ${await playground.signIn('amelia')}`;
  const answers = [];
  for (const [origin, listener] of [
    [url, adapter.publicListener],
    [opsUrl, adapter.opsListener],
  ] as const) {
    for (const address of addressesOf(listener)) {
      for (const method of ASKED) answers.push(await statusOf(origin, method, address, authorization));
    }
  }
  return answers.filter(([, status]) => status !== 405);
}

test('while the database fails, no route answers 500, those that need it answer 503, and what failed is audited afterwards', async () => {
  const outage = await startStoreOutage(SETTINGS);
  await outage.begin();
  const answers = await askEverything(outage.stack);
  const routesWith = (status: number) => answers.filter((one) => one[1] === status).map(([route]) => route);
  expect(routesWith(500)).toEqual([]);
  const unavailable = routesWith(503).filter((route) => !route.startsWith('HEAD ') && route !== BACKUP);
  expect(unavailable.sort()).toEqual(NEED_DATABASE);
  const forged = { 'seek-signature': signWebhook(WEBHOOK, 'guessed') };
  expect((await postWebhook(outage.stack.url, WEBHOOK, forged)).status).toBe(401); // it never reaches the store
  const { status, headers } = await sendWebhook(outage.stack.url, SECRET, [anEvent()]);
  expect([status, headers['retry-after']]).toEqual([503, '1']);
  await outage.end();
  const recovered = await askEverything(outage.stack);
  expect(recovered.filter(([, status]) => status >= 500)).toEqual([]);
  await until(async () => {
    const failed = await unavailableActions(outage.stack.opsUrl);
    return CHANGES.every((action) => failed.has(action));
  });
});
