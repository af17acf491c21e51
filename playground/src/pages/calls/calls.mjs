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
  ruleBreaks: 'Rules broken',
};

/**
 * A call as the log has it, or a webhook in the same form.
 * @typedef {Record<string, unknown> & {id: string, time: string, route: string, method: string,
 *   path: string, status: number | null, durationMs: number, fault: boolean, fields?: string[]}} Call
 */

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const filter = /** @type {HTMLFormElement} */ (find('filter'));
/** @type {Map<string, HTMLElement>} rows by the id of their call, so that opened ones stay open */
const rows = new Map();

/**
 * Makes an element with text.
 * @param {string} tag
 * @param {string} [text]
 * @param {string} [className]
 */
function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className !== undefined) made.className = className;
  return made;
}

const isFailed = (/** @type {Call} */ { status }) => status === null || status >= 400;

/** True if a call matches the form's filter. */
function isWanted(/** @type {Call} */ call) {
  const wanted = new FormData(filter);
  const [route, id, failed] = ['route', 'id', 'failed'].map(
    (name) => /** @type {string | null} */ (wanted.get(name)),
  );
  const ids = [call.sessionId, call.requestId];
  return (!route || call.route === route) && (!id || ids.includes(id.trim())) && (!failed || isFailed(call));
}

/** One call: a line, with all its details underneath. */
function draw(/** @type {Call} */ call) {
  const about = call.fields?.join(', ') ?? ABOUT[call.route] ?? '';
  const line = element('summary');
  line.append(
    element('time', new Date(call.time).toLocaleTimeString(), 'soft'),
    element('strong', `${call.method} ${call.path}`),
    element('span', call.status === null ? 'no answer' : String(call.status), 'status'),
    element('span', `${call.durationMs} ms`, 'soft'),
    element('span', [about, call.fault && 'planned fault'].filter(Boolean).join(' · '), 'soft'),
  );
  const details = element('dl');
  for (const [name, title] of Object.entries(DETAILS)) {
    const value = /** @type {string | string[] | null | undefined} */ (call[name]);
    const text = [value ?? []].flat().join(', ');
    if (text !== '') details.append(element('dt', title), element('dd', text));
  }
  const row = element('li');
  const fold = element('details');
  row.toggleAttribute('data-failed', isFailed(call));
  fold.append(line, details);
  row.append(fold);
  return row;
}

const get = async (/** @type {string} */ control) => (await fetch(`/playground/${control}`)).json();

/** The webhooks that were sent, as calls; the status of one that had no answer is the upstream's own word for that. */
async function readWebhooks() {
  const { requests } = await get('webhooks/requests');
  if (requests.length === 0) return [];
  const { subscriptions } = await get('webhooks/subscriptions');
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

async function read() {
  const [{ calls: received }, sent] = await Promise.all([get('calls'), readWebhooks()]);
  /** @type {Call[]} */
  const calls = [...received, ...sent].sort((a, b) => a.time.localeCompare(b.time));
  const wanted = calls.filter(isWanted).reverse();
  const shown = wanted.slice(0, SHOWN_MAX);
  for (const id of rows.keys()) if (!shown.some((call) => call.id === id)) rows.delete(id);
  for (const call of shown) if (!rows.has(call.id)) rows.set(call.id, draw(call));
  const next = shown.map(({ id }) => /** @type {HTMLElement} */ (rows.get(id)));
  const list = find('calls');
  if (next.length !== list.children.length || next.some((row, at) => row !== list.children[at])) {
    list.replaceChildren(...next);
  }
  find('count').textContent = `${shown.length} of ${calls.length} calls`;
}

async function update() {
  await read().catch(() => {
    find('count').textContent = 'The playground does not answer. Is it still running?';
  });
}

filter.addEventListener('input', () => void update());
filter.addEventListener('submit', (event) => event.preventDefault());
setInterval(() => {
  if (!document.hidden) void update();
}, READ_MS);
void update();
