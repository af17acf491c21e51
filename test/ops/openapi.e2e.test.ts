import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { describedFetch, describedRoutes } from '../support/documented.js';
import { SINK_SECRET } from '../support/json-server.js';
import { useStack } from '../support/start-stack.js';

const SECRET = 'secret-of-the-upstream';
const TOKEN = 'a-token-of-the-operators-of-this-test';
const HIRER = encodeURIComponent('seekAnzPublicTest:organization:seek:unknown');
const JSON_TYPE = { 'content-type': 'application/json' };

const stack = useStack({
  OPS_TOKEN: TOKEN,
  WEBHOOK_SECRETS: SECRET,
  EVENT_SINK_URL: 'http://127.0.0.1:9/',
  EVENT_SINK_SECRET: SINK_SECRET,
});
let eventId: string;
beforeAll(async () => {
  const event = anEvent();
  await sendWebhook(stack.url, SECRET, [event, anEvent({ type: 'HirerRelationshipChanged' })]);
  eventId = String(event['id']);
});

const described = describedFetch();
const templates = describedRoutes().ops.map(
  (route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
);

/** By the OpenAPI document, where it has the route. */
function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const actor = method !== 'GET' && { 'x-ops-actor': 'anna' };
  const headers = { authorization: `Bearer ${TOKEN}`, ...actor, ...init.headers };
  const isDescribed = templates.some((route) => route.test(routeOf(method, path)));
  return (isDescribed ? described : fetch)(stack.opsUrl + path, { ...init, method, headers });
}

const routeOf = (method: string, path: string): string => `${method} ${path.replace(/\?.*/, '')}`;

const sending = (body: object): RequestInit => ({ headers: JSON_TYPE, body: JSON.stringify(body) });

/** A request of each route, in an order in which each is granted. */
const REQUESTS: readonly [method: string, path: string, status: number, init?: RequestInit][] = [
  ['GET', '/', 200],
  ['GET', '/dashboard/main.js', 200],
  ['GET', '/dashboard/dashboard.css', 200],
  ['GET', '/dashboard/figures', 200],
  ['GET', '/livez', 200],
  ['GET', '/readyz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/log-level', 200],
  ['PUT', '/log-level', 200, sending({ level: 'info' })],
  ['PUT', '/log-level', 400, sending({ level: 'loud' })],
  ['PUT', `/memberships/zoe/${HIRER}`, 200, sending({ roles: ['member'] })],
  ['GET', `/memberships?user=zoe&hirer=${HIRER}`, 200],
  ['DELETE', `/memberships/zoe/${HIRER}`, 204],
  ['GET', '/users?subject=amelia', 200],
  ['GET', '/users', 400],
  ['GET', '/hirer-search?search=banksia', 200],
  ['GET', `/hirer-names?hirer=${HIRER}`, 200],
  ['GET', '/events?payload=false', 200],
  ['GET', '/events/EVENT', 200],
  ['GET', '/events/unknown', 404],
  ['POST', '/events/EVENT/redeliver', 202],
  ['POST', '/events/unknown/redeliver', 404],
  ['POST', '/events/redeliver', 200, sending({ state: 'failed', dryRun: true })],
  ['POST', '/events/redeliver', 202, sending({ state: 'failed' })],
  ['POST', '/secrets/reload', 200],
  ['POST', '/backup', 200],
  ['GET', '/audit?action=event.view', 200],
  ['GET', '/audit/export', 200],
  ['GET', '/users/zoe/export', 200],
  ['DELETE', '/users/zoe', 200],
];

test.each(REQUESTS.map(([method, path, status, init]) => [method, path, status, init ?? {}] as const))(
  '%s %s is answered with %i, and as the OpenAPI document says where it has the route',
  async (method, path, status, init) => {
    const response = await ask(method, path.replace('EVENT', encodeURIComponent(eventId)), init);
    await response.arrayBuffer(); // unread, it would keep its connection, and the worker
    expect(response.status).toBe(status);
  },
);

test('every route of the document was asked', () => {
  const asked = REQUESTS.map(([method, path]) => routeOf(method, path));
  expect(templates.filter((route) => !asked.some((one) => route.test(one)))).toEqual([]);
});

test('each action left exactly one audit record, with its outcome and who acted', async () => {
  const { items } = (await (await ask('GET', '/audit')).json()) as { items: Record<string, string>[] };
  const acts = items.filter(({ action, actor }) => actor === 'anna' || action === 'event.view');
  expect(acts.map(({ action, outcome }) => `${action} ${outcome}`).reverse()).toEqual([
    'log.level ok',
    'membership.grant ok',
    'membership.revoke ok',
    'event.view ok',
    'event.view not_found',
    'event.redeliver ok',
    'event.redeliver not_found',
    'redelivery.start ok',
    'store.backup ok',
    'user.erase ok',
  ]);
});
