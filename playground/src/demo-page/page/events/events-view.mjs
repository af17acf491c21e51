import { select, startChoiceForm } from '../choice-form.mjs';
import { call } from '../../../pages/control.mjs';
import { h, jsonBlock } from '../../../pages/dom.mjs';
import { EVENT_PARTIES, eventSteps, forgerySteps, repeatSteps } from './event-steps.mjs';
import { findEvent, followEvent } from './follow-event.mjs';
import { signIn } from '../sign-in.mjs';
import { clearRun, showRun } from '../experiment-card.mjs';
import { send } from '../http.mjs';
import { drawSequence, drawStep } from '../sequence/sequence.mjs';
import { openStream } from './stream.mjs';

/** @import { Config, Hirer, User } from '../sign-in.mjs' */
/** @import { Journey } from './event-steps.mjs' */
/** @import { StreamedEvent } from './stream.mjs' */

const HAPPENINGS = [
  ['CandidateApplicationCreated', 'A candidate applies'],
  ['CandidateProfilePurchased', 'A profile is purchased'],
  ['PositionProfilePosted', 'An ad is posted'],
  ['PositionProfileClosed', 'An ad closes'],
];
/** How long an event may take through all stations; the usual time is far below a second. */
const JOURNEY_MS = 4_000;
/** How long a browser waits for an event that should not come. */
const ABSENCE_MS = 1_000;
const SHOWN_MAX = 20;
const SIGNATURE_DIGITS = 128;

/**
 * Fills the events tab: makes something happen at the upstream, and follows it to the partner's back end and browser.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Config} config
 */
export function startEvents(form, place, config) {
  const readChoice = startChoiceForm(form, config);
  form.append(
    select('type', 'Event', HAPPENINGS, ([type, text]) => [/** @type {string} */ (type), text ?? '']),
    h('button', { type: 'submit', class: 'primary' }, 'Make it happen'),
  );
  const stage = h('div', { class: 'stage', role: 'status', 'aria-live': 'polite' });
  const received = h('ol', { class: 'received', 'aria-label': 'Events in this browser' });
  const watch = startWatch(config, (event) => {
    received.prepend(drawEvent(event, config));
    while (received.children.length > SHOWN_MAX) received.lastElementChild?.remove();
  });
  place.append(stage, drawReceived(received));
  form.addEventListener('submit', () => {
    const type = /** @type {string} */ (new FormData(form).get('type'));
    void showRun(stage, (tell) => makeHappen({ ...readChoice(), type }, watch, tell));
  });
  form.addEventListener('choice', () => {
    clearRun(stage);
    if (watch.closeUnless(readChoice().user)) received.replaceChildren();
  });
}

function drawReceived(received) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'received-title' },
    h('h2', { id: 'received-title' }, 'Events received by this browser'),
    h(
      'p',
      { class: 'remark' },
      'One open stream for each user, with the events of that user’s hirers only. It stays open; events caused elsewhere appear here, too.',
    ),
    received,
  );
}

/**
 * Keeps one stream open, that of the user who was chosen last.
 * @param {Config} config
 * @param {(event: StreamedEvent) => void} onEvent
 */
function startWatch(config, onEvent) {
  /** @type {{user: User, stream: {isOver: boolean, close: () => void}} | undefined} */
  let open;
  /** @type {User | undefined} */
  let wanted;
  /** When each event arrived, by its id. */
  const arrivals = new Map();
  /** Closes the stream of another user; true if it did. */
  const closeUnless = (user) => {
    wanted = user;
    if (open === undefined || open.user === user) return false;
    open.stream.close();
    open = undefined;
    return true;
  };
  const watch = async (user) => {
    closeUnless(user);
    if (open && !open.stream.isOver) return;
    open = undefined;
    const { body } = await signIn(config, user, crypto.randomUUID());
    const stream = await openStream(body.access_token, (event) => {
      arrivals.set(event.id, performance.now());
      onEvent(event);
    });
    if (wanted === user && open === undefined) open = { user, stream };
    else stream.close();
  };
  return { watch, closeUnless, arrivals };
}

/**
 * @param {{user: User, hirer: Hirer, type: string}} choice
 * @param {ReturnType<typeof startWatch>} stream
 * @param {(sequence: HTMLElement) => void} tell shows each step as it happens
 */
async function makeHappen({ user, hirer, type }, { watch, arrivals }, tell) {
  await watch(user);
  const startedMs = performance.now();
  const { eventIds } = await call('events', { type, hirerId: hirer.hirerId });
  const event = { type, eventId: eventIds[0] };
  /** @type {(found: Journey['found'], isOver: boolean) => HTMLElement} */
  const draw = (found, isOver) => {
    const arrivedMs = arrivals.get(event.eventId);
    const streamedAfterMs = arrivedMs && Math.max(1, Math.round(arrivedMs - startedMs));
    return drawSequence(eventSteps({ user, hirer, event, found, streamedAfterMs, isOver }), EVENT_PARTIES);
  };
  const isStored = ({ requests, deliveries }) => requests.length > 0 && deliveries.length > 0;
  const show = (found) => tell(draw(found, false));
  const stored = await followEvent(event.eventId, isStored, JOURNEY_MS, show);
  const found = await followEvent(event.eventId, () => arrivals.has(event.eventId), ABSENCE_MS);
  return drawJourney(draw(found.requests.length > 0 ? found : stored, true), event);
}

/** The journey, with buttons to try more with the event. */
function drawJourney(sequence, event) {
  const add = (steps) =>
    sequence.querySelector('.steps')?.append(...steps.map((step) => drawStep(step, EVENT_PARTIES)));
  const again = async () => add(repeatSteps(await sendAgain(event.eventId)));
  const forge = async () => add(forgerySteps(await sendForgery(event)));
  return [
    sequence,
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'secondary', onclick: again }, 'Send it again'),
      h('button', { type: 'button', class: 'secondary', onclick: forge }, 'Forge one'),
    ),
  ];
}

/** The upstream delivers at least once: has it send the event another time. */
async function sendAgain(eventId) {
  const { requests } = await findEvent(eventId);
  await call('webhooks/replay', { subscriptionId: requests.at(-1)?.subscriptionId, eventIds: [eventId] });
  await followEvent(eventId, (found) => found.requests.length > requests.length, JOURNEY_MS);
  return followEvent(eventId, () => false, ABSENCE_MS);
}

/** Sends an event without knowing the secret. */
function sendForgery({ type }) {
  return send('/webhooks', {
    sessionId: crypto.randomUUID(),
    headers: { 'Seek-Signature': '0'.repeat(SIGNATURE_DIGITS) },
    body: { events: [{ id: 'forged', type }], subscriptionId: 'forged' },
  });
}

/**
 * @param {StreamedEvent} event
 * @param {Config} config
 */
function drawEvent(event, { hirers }) {
  const hirer = hirers.find(({ hirerId }) => hirerId === event.data.hirerId);
  const time = new Date(event.timestamp).toLocaleTimeString();
  return h(
    'li',
    {},
    h(
      'details',
      {},
      h('summary', {}, h('strong', {}, event.type), ' ', h('small', {}, `${hirer?.name ?? ''} · ${time}`)),
      jsonBlock(event, `Event ${event.id}`),
    ),
  );
}
