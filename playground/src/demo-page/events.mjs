import { byId, call } from '../pages/control.mjs';
import { button, h, jsonBlock, timeOf } from '../pages/dom.mjs';
import { fold, showRun, startResult } from './card.mjs';
import { addSteps, arrow, BFF, BROWSER, drawSequence, note, UPSTREAM } from './sequence.mjs';
import { codeOf, config, readChoice, send, signIn } from './session.mjs';

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
    void showRun(stage, (tell) => makeHappen(byId('event').elements.type.value, tell));
  });
  document.addEventListener('choice', () => {
    if (stream?.user !== readChoice().user) closeStream();
  });
}

async function makeHappen(type, tell) {
  const { user, hirer } = readChoice();
  await openStream(user);
  const startedMs = performance.now();
  const { eventIds } = await call('events', { type, hirerId: hirer.hirerId });
  const [eventId] = eventIds;
  const draw = (/** @type {Journey} */ journey, isOver = false) => {
    const happened = note(UPSTREAM, undefined, type, `at ${hirer.name}, event …${eventId.slice(-8)}`);
    const steps = [...webhookSteps(journey, isOver), ...deliverySteps(journey, isOver)];
    const streamed = streamSteps(journey, isOver, `${user.name} does not belong to ${hirer.name}`);
    return drawSequence([happened, ...steps, ...streamed], PARTIES);
  };
  const find = () => findEvent(eventId, startedMs);
  await follow(find, JOURNEY_MS, (found) => {
    tell(draw(found));
    return found.requests.length > 0 && found.deliveries.length > 0;
  });
  const journey = await follow(find, ABSENCE_MS, ({ streamedAfterMs }) => streamedAfterMs !== undefined);
  const sequence = draw(journey, true);
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
function webhookSteps(/** @type {Journey} */ { requests: [request] }, isOver) {
  if (request === undefined) {
    return isOver ? [note(UPSTREAM, 'bad', 'No webhook', 'Is the service subscribed?')] : [];
  }
  const about = 'The signature is valid. The event was committed before the 204.';
  const stored = note(BFF, 'good', 'Stored, then acknowledged', about);
  return [webhookStep(request, 'signed'), ...(request.statusCode === 204 ? [stored] : [])];
}

function webhookStep(/** @type {Journey['requests'][number]} */ request, detail) {
  const { statusCode, latencyMs, requestId } = request;
  const tone = statusCode === 204 ? 'good' : 'bad';
  const facts = { tone, outcome: String(statusCode), durationMs: latencyMs ?? undefined, detail, requestId };
  return arrow(UPSTREAM, BFF, 'POST /webhooks', /** @type {Partial<Step>} */ (facts));
}

/** @returns {Step[]} */
function deliverySteps(/** @type {Journey} */ { deliveries: [delivery] }, isOver) {
  if (delivery === undefined) {
    const about =
      'EVENT_SINK_URL names another receiver, or the delivery is pending. The dashboard shows its state.';
    return isOver ? [note(BFF, undefined, 'Not delivered to the playground', about)] : [];
  }
  const outcome = delivery.verified ? 'signature valid' : 'signature wrong';
  const tone = delivery.verified ? 'good' : 'bad';
  return [arrow(BFF, BACK_END, 'POST to the sink', { tone, outcome, detail: 'Standard Webhooks' })];
}

/** @returns {Step[]} */
function streamSteps(/** @type {Journey} */ { streamedAfterMs: durationMs }, isOver, reason) {
  if (durationMs === undefined) {
    const about = `${reason}, so the open stream does not carry the event.`;
    return isOver ? [note(BROWSER, undefined, 'Nothing arrives', about)] : [];
  }
  const sent = { outcome: 'streamed', durationMs, detail: 'after it happened' };
  return [arrow(BFF, BROWSER, 'GET /events/stream', { kind: 'reply', tone: 'good', ...sent })];
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
  const headers = { 'Seek-Signature': '0'.repeat(128) };
  const body = { events: [{ id: 'forged', type }], subscriptionId: 'forged' };
  const answer = await send('/webhooks', { headers, body });
  const { durationMs, requestId } = answer;
  const about =
    'The signature is checked over the raw bytes first. Without a valid one nothing is parsed or stored.';
  const outcome = `${answer.status} ${codeOf(answer) ?? ''}`;
  const facts = { outcome, durationMs, detail: 'with a made-up signature', requestId };
  return [
    arrow(BROWSER, BFF, 'POST /webhooks', { tone: 'bad', ...facts }),
    note(BFF, 'bad', 'Refused', about),
  ];
}

/**
 * The open stream: that of the user who was chosen last.
 * @type {{user: User, closing: AbortController} | undefined}
 */
let stream;
/** When each event arrived, by its id. */
const arrivals = new Map();

function closeStream() {
  stream?.closing.abort();
  stream = undefined;
  received.replaceChildren();
}

/** Opens the stream of a user's events, unless it is open. Read with `fetch`, as `EventSource` cannot send a token. */
async function openStream(/** @type {User} */ user) {
  if (stream?.user === user) return;
  closeStream();
  const mine = { user, closing: new AbortController() };
  const { body } = await signIn(user);
  const response = await fetch('/events/stream', {
    headers: { Authorization: `Bearer ${body.access_token}`, Accept: 'text/event-stream' },
    signal: mine.closing.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`The stream was refused: ${response.status}`);
  const isWanted = stream === undefined && readChoice().user === user;
  if (!isWanted) return mine.closing.abort(); // chosen or opened meanwhile: another
  stream = mine;
  const end = () => {
    if (stream === mine) stream = undefined; // ended by the service, as the user's token expired
  };
  void readEvents(response.body).then(end, end);
}

async function readEvents(/** @type {ReadableStream} */ body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader(); // Safari cannot iterate a stream
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (text + part.value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id === undefined || data === undefined) continue;
      arrivals.set(id, performance.now());
      received.prepend(drawEvent({ id, ...JSON.parse(data) }));
      while (received.children.length > SHOWN_MAX) received.lastElementChild?.remove();
    }
  }
}

function drawEvent(event) {
  const hirer = config.hirers.find(({ hirerId }) => hirerId === event.data.hirerId);
  const about = h('small', `${hirer?.name ?? ''} · ${timeOf(event.timestamp)}`);
  return h('li', fold([h('strong', event.type), ' ', about], jsonBlock(event, `Event ${event.id}`)));
}
