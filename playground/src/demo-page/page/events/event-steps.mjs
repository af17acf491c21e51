import { note } from '../sequence/steps.mjs';

/** @import { Hirer, User } from '../sign-in.mjs' */
/** @import { Whereabouts } from './follow-event.mjs' */
/** @import { Column, Step } from '../sequence/steps.mjs' */

/**
 * The parties of an event's journey, in the order of their columns.
 * @type {readonly Column[]}
 */
export const EVENT_PARTIES = [
  { name: 'Browser', role: 'the partner’s page' },
  { name: 'BFF', role: 'this service' },
  { name: 'Back end', role: 'your event sink' },
  { name: 'Upstream', role: 'where it happens' },
];
const [BROWSER, BFF, BACK_END, UPSTREAM] = /** @type {const} */ ([0, 1, 2, 3]);
const ID_SHOWN = 8;

/**
 * An event on its way.
 * @typedef {object} Journey
 * @property {User} user
 * @property {Hirer} hirer
 * @property {{eventId: string, type: string}} event
 * @property {Whereabouts} found
 * @property {number} [streamedAfterMs] undefined if the browser has not received it
 * @property {boolean} isOver true if nothing more is waited for
 */

/**
 * The steps that an event has taken so far.
 * @param {Journey} journey
 * @returns {Step[]}
 */
export function eventSteps(journey) {
  const { event, hirer } = journey;
  return [
    note(UPSTREAM, undefined, event.type, `at ${hirer.name}, event …${event.eventId.slice(-ID_SHOWN)}`),
    ...webhookSteps(journey),
    ...deliverySteps(journey),
    ...streamSteps(journey),
  ];
}

/**
 * The steps when the upstream sends an event that the BFF already has.
 * @param {Whereabouts} found
 * @returns {Step[]}
 */
export function repeatSteps({ requests, deliveries }) {
  const about = `Counted and acknowledged, not stored twice. Deliveries so far: ${deliveries.length}. Within five minutes, it is not sent to the back end or the browser again.`;
  return [
    ...requests.slice(-1).map((request) => webhookStep(request, 'the same event')),
    note(BFF, 'cache', 'Known by its id', about),
  ];
}

const CHECKED_FIRST =
  'The signature is checked over the raw bytes first. Without a valid one nothing is parsed or stored.';

/**
 * The steps when a sender does not know the secret.
 * @param {{status: number, durationMs: number, requestId: string, body: {code?: string}}} answer
 * @returns {Step[]}
 */
export function forgerySteps({ status, durationMs, requestId, body }) {
  const outcome = `${status} ${body.code ?? ''}`;
  const sent = { title: 'POST /webhooks', detail: 'with a made-up signature', durationMs, requestId };
  return [
    { kind: 'call', from: BROWSER, to: BFF, tone: 'bad', outcome, ...sent },
    note(BFF, 'bad', 'Refused', CHECKED_FIRST),
  ];
}

/**
 * @param {Whereabouts['requests'][number]} request
 * @param {string} detail
 * @returns {Step}
 */
function webhookStep({ statusCode, latencyMs, requestId }, detail) {
  const tone = statusCode === 204 ? 'good' : 'bad';
  const sent = { title: 'POST /webhooks', detail, outcome: String(statusCode), requestId };
  return { kind: 'call', from: UPSTREAM, to: BFF, tone, durationMs: latencyMs ?? undefined, ...sent };
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function webhookSteps({ found, isOver }) {
  const [request] = found.requests;
  if (request === undefined) {
    return isOver ? [note(UPSTREAM, 'bad', 'No webhook', 'Is the service subscribed?')] : [];
  }
  const about = 'The signature is valid. The event was committed before the 204.';
  const stored = note(BFF, 'good', 'Stored, then acknowledged', about);
  return [webhookStep(request, 'signed'), ...(request.statusCode === 204 ? [stored] : [])];
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function deliverySteps({ found, isOver }) {
  const [delivery] = found.deliveries;
  if (delivery === undefined) {
    const about =
      'EVENT_SINK_URL names another receiver, or the delivery is pending. The dashboard shows its state.';
    return isOver ? [note(BFF, undefined, 'Not delivered to the playground', about)] : [];
  }
  const outcome = delivery.verified ? 'signature valid' : 'signature wrong';
  const sent = { title: 'POST to the sink', detail: 'Standard Webhooks', outcome };
  return [{ kind: 'call', from: BFF, to: BACK_END, tone: delivery.verified ? 'good' : 'bad', ...sent }];
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function streamSteps({ user, hirer, streamedAfterMs: durationMs, isOver }) {
  if (durationMs === undefined) {
    const about = `${user.name} does not belong to ${hirer.name}, so the open stream does not carry the event.`;
    return isOver ? [note(BROWSER, undefined, 'Nothing arrives', about)] : [];
  }
  const sent = { title: 'GET /events/stream', detail: 'after it happened', outcome: 'streamed' };
  return [{ kind: 'reply', from: BFF, to: BROWSER, tone: 'good', durationMs, ...sent }];
}
