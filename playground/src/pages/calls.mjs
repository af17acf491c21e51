import { byId, call } from './control.mjs';
import { h, shortId, timeOf } from './dom.mjs';

/** @import { Call as Logged } from '../http/call-log.js' */

const READ_MS = 2_000;
const SHOWN_MAX = 200;
const ABOUT = {
  'oauth-token': 'partner token',
  'auth-token': 'browser token',
  'sign-in': 'sign-in',
  'machine-token': "machine's token",
  jwks: 'keys',
};
/** Members of a call for its details, in this order, with what they are called here. */
const DETAILS = {
  requestId: 'Request id',
  sessionId: 'Session id',
  userAgent: 'User agent',
  traceparent: 'traceparent',
  acceptLanguage: 'Language',
  token: 'Token',
  fields: 'Fields',
  codes: 'Errors',
  ruleBreaks: 'Rules broken',
};

/**
 * A call as the log has it, or a webhook in the same form.
 * @typedef {Pick<Logged, 'id' | 'time' | 'method' | 'path' | 'status' | 'durationMs' | 'requestId' | 'fault'> &
 *   {route: string, fields?: readonly string[], codes?: readonly string[]}} Call
 */

/** @type {Map<string, HTMLElement>} rows by the id of their call, so that opened ones stay open */
const rows = new Map();

/** Shows the log, again every two seconds while it is in view. */
export function startCalls() {
  const filter = byId('filter');
  const update = () =>
    read().catch(({ message }) => {
      byId('call-count').textContent = message;
    });
  filter.addEventListener('input', update);
  filter.addEventListener('submit', (event) => event.preventDefault());
  const isInView = () => !document.hidden && !byId('calls').hidden;
  setInterval(() => isInView() && void update(), READ_MS);
  document.addEventListener('tab', () => isInView() && void update());
  void update();
}

async function read() {
  const [{ calls: received }, sent] = await Promise.all([call('calls'), readWebhooks()]);
  /** @type {Call[]} */
  const calls = [...received, ...sent].sort((a, b) => a.time.localeCompare(b.time));
  const wanted = calls.filter(isWanted).reverse();
  const shown = wanted.slice(0, SHOWN_MAX);
  for (const id of rows.keys()) if (!shown.some((one) => one.id === id)) rows.delete(id);
  for (const one of shown) if (!rows.has(one.id)) rows.set(one.id, draw(one));
  const next = shown.map(({ id }) => /** @type {HTMLElement} */ (rows.get(id)));
  const list = byId('call-list');
  const isSame = next.length === list.children.length && next.every((row, at) => row === list.children[at]);
  if (!isSame) list.replaceChildren(...next);
  byId('call-count').textContent = `${shown.length} of ${calls.length} calls`;
}

/** The webhooks that were sent, as calls; the status of one that had no answer is the upstream's own word for that. */
async function readWebhooks() {
  const { requests } = await call('webhooks/requests');
  if (requests.length === 0) return [];
  const { subscriptions } = await call('webhooks/subscriptions');
  const known = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  return requests.map(({ requestId, subscriptionId, statusCode, latencyMs, createdMs }) => {
    const { url = 'a subscription that has ended', eventTypeCode } = known.get(subscriptionId) ?? {};
    return {
      id: requestId,
      time: new Date(createdMs).toISOString(),
      route: 'webhook',
      method: 'Webhook to',
      path: url,
      status: statusCode,
      durationMs: Math.ceil(latencyMs ?? 0),
      requestId,
      fault: false,
      ...(eventTypeCode !== undefined && { fields: [eventTypeCode] }),
    };
  });
}

/** A GraphQL answer may fail with status 200; a planned fault may spoil what was answered well. */
function isFailed(/** @type {Call} */ { status, codes = [], fault }) {
  return status === null || status >= 400 || codes.length > 0 || fault;
}

/** True if a call has the text that is searched for, in whatever it says, and failed if that is wanted. */
function isWanted(/** @type {Call} */ one) {
  const { text, failed } = byId('filter').elements;
  const isFound = JSON.stringify(one).toLowerCase().includes(text.value.trim().toLowerCase());
  return isFound && (!failed.checked || isFailed(one));
}

/** What a call was for: GraphiQL's own are a page and an introspection. */
function aboutOf(/** @type {Call} */ { route, method, fields }) {
  if (route === 'graphql' && method === 'GET') return 'GraphiQL';
  return fields?.length === 0 ? 'introspection' : (fields?.join(', ') ?? ABOUT[route]);
}

/** One call: a line, with all its details underneath. */
function draw(/** @type {Call} */ one) {
  const about = [aboutOf(one), one.fault && 'planned fault'].filter(Boolean).join(' · ');
  const outcome = [one.status ?? 'no answer', ...new Set(one.codes)].join(' ');
  const details = Object.entries(DETAILS).flatMap(([name, title]) => {
    const text = [/** @type {any} */ (one[name]) ?? []].flat().join(', ');
    return text === '' ? [] : [h('dt', title), h('dd', text)];
  });
  return h(
    'li',
    { 'data-failed': isFailed(one) },
    h(
      'details',
      h(
        'summary',
        h('time.facts', timeOf(one.time)),
        h('span', h('strong', `${one.method} ${one.path}`), ' ', h('span.facts', about)),
        h('span.status', outcome),
        h('span.facts', `${one.durationMs} ms`),
        h('code.facts', { title: one.requestId ?? '' }, one.requestId ? shortId(one.requestId) : ''),
      ),
      h('dl', ...details),
    ),
  );
}
