import { streamEvents } from '/client/events.js';
import { byId, call } from '../pages/control.mjs';
import { button, h, jsonBlock, shortId, timeOf } from '../pages/dom.mjs';
import { fold, showRun, startResult } from './card.mjs';
import { addSteps, arrow, BFF, BROWSER, drawSequence, note, UPSTREAM } from './sequence.mjs';
import { config, openSession, readChoice } from './session.mjs';

/** @import { BffEvent } from '/client/events.js' */
/** @import { User } from './session.mjs' */
/** @import { Step } from './sequence.mjs' */
/**
 * What is known of an event on its way: the webhook requests with it, its deliveries to the playground's sink, and when
 * it reached the browser.
 * @typedef {object} Journey
 * @property {{requestId: string, subscriptionId: string, statusCode: number, latencyMs: number | null}[]} requests
 * @property {{verified: boolean}[]} deliveries
 * @property {number} [streamedAfterMs]
 */

/** @type {[name: string, role: string][]} */
const PARTIES = [
  ['Browser', 'the partner’s page'],
  ['BFF', 'this service'],
  ['Back end', 'your event sink'],
  ['Upstream', 'where it happens'],
];
const BACK_END = 2;
/** How long an event may take through all stations; the usual time is far below a second. */
const JOURNEY_MS = 4_000;
/** How long a browser waits for an event that should not come. */
const ABSENCE_MS = 1_000;
const POLL_MS = 120;
const SHOWN_MAX = 20;

const received = byId('received');

/** Fills the third step: makes something happen at the upstream, and follows it to the partner's back end and browser. */
export function startEvents() {
  const stage = startResult();
  byId('stage').append(stage);
  byId('event').addEventListener('submit', (submit) => {
    submit.preventDefault();
    void showRun(stage, () => makeHappen(byId('event').elements.type.value));
  });
  document.addEventListener('choice', () => {
    if (stream?.user !== readChoice().user) closeStream();
  });
}

async function makeHappen(type) {
  const { user, hirer } = readChoice();
  await openStream(user);
  const startedMs = performance.now();
  const { eventIds } = await call('events', { type, hirerId: hirer.hirerId });
  const [eventId] = eventIds;
  const find = () => findEvent(eventId, startedMs);
  await follow(find, JOURNEY_MS, ({ requests, deliveries }) => requests.length > 0 && deliveries.length > 0);
  const journey = await follow(find, ABSENCE_MS, ({ streamedAfterMs }) => streamedAfterMs !== undefined);
  const sequence = drawSequence(
    [
      note(UPSTREAM, undefined, type, `at ${hirer.name}, event …\u2060${shortId(eventId)}`),
      ...webhookSteps(journey),
      deliveryStep(journey),
      streamStep(journey, `${user.name} does not belong to ${hirer.name}`),
    ],
    PARTIES,
  );
  const add = (steps) => addSteps(sequence, steps, PARTIES);
  const again = async () => add(await sendAgain(journey, eventId));
  const forge = async () => add(await sendForgery(type));
  return [sequence, h('div.buttons', button('Send it again', again), button('Forge one', forge))];
}

/** @returns {Promise<Journey>} */
async function findEvent(/** @type {string} */ eventId, startedMs = 0) {
  const query = `?eventId=${encodeURIComponent(eventId)}`;
  const [{ requests }, { deliveries }] = await Promise.all([
    call(`webhooks/requests${query}`),
    call(`sink${query}`),
  ]);
  const arrivedMs = arrivals.get(eventId);
  const streamedAfterMs = arrivedMs && Math.max(1, Math.round(arrivedMs - startedMs));
  return { requests, deliveries, streamedAfterMs };
}

/**
 * Looks until an event has arrived, or the time is up. Resolves with what was seen last.
 * @param {() => Promise<Journey>} find
 * @param {number} atMostMs
 * @param {(found: Journey) => boolean} isThere
 */
async function follow(find, atMostMs, isThere) {
  const endMs = performance.now() + atMostMs;
  for (;;) {
    const found = await find();
    if (isThere(found) || performance.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @returns {Step[]} */
function webhookSteps(/** @type {Journey} */ { requests: [request] }) {
  if (request === undefined) return [note(UPSTREAM, 'bad', 'No webhook', 'Is the service subscribed?')];
  const about = 'The signature is valid. The event was committed before the 204.';
  const stored = note(BFF, 'good', 'Stored, then acknowledged', about);
  return [webhookStep(request, 'signed'), ...(request.statusCode === 204 ? [stored] : [])];
}

function webhookStep(/** @type {Journey['requests'][number]} */ request, detail) {
  const { statusCode, latencyMs, requestId } = request;
  const tone = statusCode === 204 ? 'good' : 'bad';
  const facts = { outcome: String(statusCode), durationMs: Math.ceil(latencyMs ?? 0), detail, requestId };
  return arrow(UPSTREAM, BFF, 'POST /webhooks', { tone, ...facts });
}

function deliveryStep(/** @type {Journey} */ { deliveries: [delivery] }) {
  if (delivery === undefined) {
    const about =
      'EVENT_SINK_URL names another receiver, or the delivery is pending. The dashboard shows its state.';
    return note(BFF, undefined, 'Not delivered to the playground', about);
  }
  const outcome = delivery.verified ? 'signature valid' : 'signature wrong';
  const tone = delivery.verified ? 'good' : 'bad';
  return arrow(BFF, BACK_END, 'POST to the sink', { tone, outcome, detail: 'Standard Webhooks' });
}

function streamStep(/** @type {Journey} */ { streamedAfterMs: durationMs }, reason) {
  if (durationMs === undefined) {
    return note(BROWSER, undefined, 'Nothing arrives', `${reason}, so the stream does not carry the event.`);
  }
  const sent = { outcome: 'streamed', durationMs, detail: 'after it happened' };
  return arrow(BFF, BROWSER, 'GET /events/stream', { kind: 'reply', tone: 'good', ...sent });
}

/** The upstream delivers at least once: has it send the event another time. */
async function sendAgain(/** @type {Journey} */ { requests: [first] }, eventId) {
  const before = (await findEvent(eventId)).requests.length;
  await call('webhooks/replay', { subscriptionId: first?.subscriptionId, eventIds: [eventId] });
  const find = () => findEvent(eventId);
  await follow(find, JOURNEY_MS, ({ requests }) => requests.length > before);
  const { requests, deliveries } = await follow(find, ABSENCE_MS, () => false);
  const about = `Counted and acknowledged, not stored twice. Deliveries so far: ${deliveries.length}. Within five minutes, it is not sent to the back end or the browser again.`;
  const sent = requests.slice(-1).map((request) => webhookStep(request, 'the same event'));
  return [...sent, note(BFF, 'cache', 'Known by its id', about)];
}

/** Sends an event without knowing the secret. */
async function sendForgery(type) {
  const response = await fetch('/webhooks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Seek-Signature': '0'.repeat(128) },
    body: JSON.stringify({ events: [{ id: 'forged', type }], subscriptionId: 'forged' }),
  });
  const { code = '', requestId } = await response.json();
  const about =
    'The signature is checked over the raw bytes first. Without a valid one nothing is parsed or stored.';
  const facts = { outcome: `${response.status} ${code}`, detail: 'with a made-up signature', requestId };
  return [
    arrow(BROWSER, BFF, 'POST /webhooks', { tone: 'bad', ...facts }),
    note(BFF, 'bad', 'Refused', about),
  ];
}

/**
 * The open stream: that of the user who was chosen last.
 * @type {{user: User, closing: AbortController, opened: Promise<unknown>} | undefined}
 */
let stream;
/** When each event arrived, by its id. */
const arrivals = new Map();

function closeStream() {
  stream?.closing.abort();
  stream = undefined;
  received.replaceChildren();
}

/** Opens the stream of a user's events, unless it is open; the client package keeps it open. */
function openStream(/** @type {User} */ user) {
  if (stream?.user === user) return stream.opened;
  closeStream();
  const closing = new AbortController();
  const { promise: opened, resolve: onOpen, reject } = Promise.withResolvers();
  const events = streamEvents(openSession().bff, { signal: closing.signal, onOpen });
  showEvents(events).catch((error) => {
    stream = undefined; // refused; the next try opens another
    reject(error);
  });
  stream = { user, closing, opened };
  return opened;
}

async function showEvents(/** @type {AsyncGenerator<BffEvent>} */ events) {
  for await (const event of events) {
    arrivals.set(event.id, performance.now());
    received.prepend(drawEvent(event));
    while (received.children.length > SHOWN_MAX) received.lastElementChild?.remove();
  }
}

function drawEvent(event) {
  const hirer = config.hirers.find(({ hirerId }) => hirerId === event.data.hirerId);
  const about = h('small', `${hirer?.name ?? ''} · ${timeOf(event.timestamp)}`);
  return h('li', fold([h('strong', event.type), ' ', about], jsonBlock(event, `Event ${event.id}`)));
}
