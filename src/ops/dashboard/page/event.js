import { attemptsTable } from './attempts.js';
import { byId, formById, make, makeEmpty, say, textOf } from './dom.js';
import { formatSeconds, formatTime } from './format.js';
import { hirerCell } from './hirers.js';
import { Refusal, request } from './session.js';
import { showTable } from './table.js';

const LOOK_EVERY_MS = 2_000;
const LOOKS_MAX = 30;

/** @import { Attempt } from './attempts.js' */

/**
 * What became of an event at one sink.
 * @typedef {{ sink: string, state: string, attempts: number, dueAt: string | null, lastFailure: string | null, webhookId: string }} SinkState
 */

/**
 * An event as the route gives it, whole.
 * @typedef {object} WholeEvent
 * @property {string} id
 * @property {string} webhookId
 * @property {'signed' | 'reconciled'} trust
 * @property {string} type
 * @property {string | null} hirerId
 * @property {string | null} subscriptionId
 * @property {string | null} requestId
 * @property {string | null} createDateTime
 * @property {string} receivedAt
 * @property {string} state
 * @property {number} attempts
 * @property {number} repeats
 * @property {string | null} dueAt
 * @property {string | null} lastFailure
 * @property {readonly SinkState[]} [sinks]
 * @property {readonly Attempt[]} history
 * @property {unknown} payload
 */

const TRUST = {
  signed: 'signed webhook',
  reconciled: 'events query, because no webhook brought it',
};

/** The page of one event: what arrived, what became of it, what an operator can do. The service records who looked. */
export class EventPage {
  constructor() {
    this.form = formById('event-redeliver');
    this.id = '';
    /** @type {number | undefined} */
    this.timer = undefined;
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.redeliver();
    });
  }

  /** @param {string} id */
  async open(id) {
    this.id = id;
    this.form.reset();
    byId('event-body').hidden = true;
    byId('event-title').textContent = 'Event';
    byId('event-next').textContent = 'Reading…';
    await this.load();
    byId('event-title').focus();
  }

  close() {
    this.id = '';
    clearTimeout(this.timer);
  }

  async load() {
    const { id } = this;
    try {
      /** @type {WholeEvent} */
      const event = await (await request(`/events/${encodeURIComponent(id)}`)).json();
      if (id === this.id) this.show(event);
    } catch (error) {
      const missing = error instanceof Refusal && error.status === 404;
      byId('event-body').hidden = true;
      byId('event-next').textContent = missing ? `Event "${id}" not found.` : textOf(error);
    }
  }

  /** @param {WholeEvent} event */
  show(event) {
    const states = event.sinks ?? [{ ...event, sink: 'default' }];
    byId('event-title').replaceChildren(
      event.type,
      ' ',
      make('span', { className: 'badge', data: { state: event.state } }, event.state),
    );
    byId('event-next').textContent = nextOf(event);
    byId('event-facts').replaceChildren(...factsOf(event).flatMap(toFact));
    showTable(byId('event-sinks'), SINK_COLUMNS, states);
    byId('event-attempts').replaceChildren(attemptsTable(event.history));
    const isGone = event.payload === null || event.payload === undefined;
    byId('event-payload').replaceChildren(
      isGone
        ? makeEmpty('The payload was deleted after EVENT_RETENTION_DAYS, so the event cannot be redelivered.')
        : make('pre', {}, JSON.stringify(event.payload, null, 2)),
    );
    this.form.hidden = isGone;
    this.offerSinks(event.sinks ?? []);
    byId('event-body').hidden = false;
  }

  /** @param {readonly SinkState[]} sinks */
  offerSinks(sinks) {
    const select = /** @type {HTMLSelectElement} */ (byId('event-sink'));
    const { value } = select;
    const choices = sinks.map(({ sink, state }) => make('option', { value: sink }, `${sink} (${state})`));
    select.replaceChildren(make('option', { value: '' }, 'every sink'), ...choices);
    select.value = value;
    const label = select.closest('label');
    if (label) label.hidden = sinks.length < 2;
  }

  async redeliver() {
    const { id } = this;
    const chosen = new FormData(this.form);
    const sink = chosen.get('sink') || undefined;
    const body = JSON.stringify({ asNew: chosen.get('mode') === 'new', sink });
    try {
      await request(`/events/${encodeURIComponent(id)}/redeliver`, { method: 'POST', body });
      say('The event is queued for delivery.');
      await this.load();
      this.awaitResult(LOOKS_MAX);
    } catch (error) {
      say(textOf(error));
    }
  }

  /**
   * Looks at the list, which leaves no record of who looked, until the event has been tried.
   * @param {number} looks how often
   */
  awaitResult(looks) {
    clearTimeout(this.timer);
    const { id } = this;
    if (looks === 0 || id === '') return;
    this.timer = window.setTimeout(async () => {
      const isQueued = await isPending(id).catch(() => true);
      if (id !== this.id) return;
      if (isQueued) this.awaitResult(looks - 1);
      else await this.load();
    }, LOOK_EVERY_MS);
  }
}

/** @param {string} id */
async function isPending(id) {
  const query = new URLSearchParams({ id, payload: 'false' });
  const { items } = await (await request(`/events?${query}`)).json();
  return items[0]?.state === 'pending';
}

/** @type {import('./table.js').Column<SinkState>[]} */
const SINK_COLUMNS = [
  { title: 'Sink', cell: ({ sink }) => sink },
  { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
  { title: 'Attempts', kind: 'number', cell: ({ attempts }) => String(attempts) },
  { title: 'Next attempt', cell: ({ dueAt }) => (dueAt ? untilText(dueAt) : 'none') },
  { title: 'Last failure', kind: 'wrap wide', cell: ({ lastFailure }) => lastFailure ?? '–' },
  { title: 'webhook-id', kind: 'mono wrap', cell: ({ webhookId }) => webhookId },
];

/** @param {string} time */
function untilText(time) {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  return `${formatTime(time)} (${seconds > 0 ? `in ${formatSeconds(seconds)}` : 'now'})`;
}

/**
 * What happens next, and what that takes.
 * @param {WholeEvent} event
 */
function nextOf({ state, dueAt, lastFailure }) {
  const when = dueAt ? ` The next attempt is at ${untilText(dueAt)}.` : '';
  if (lastFailure?.startsWith('object: ')) {
    return `It waits for its object, because the upstream fails (${lastFailure.slice(8)}).${when} After EVENT_OBJECT_PATIENCE_SECONDS it is sent without.`;
  }
  if (state === 'delivered') return 'It was delivered.';
  if (state === 'stored') return 'No sink accepts events of this type and hirer. It is only stored.';
  if (state === 'dead') {
    return 'It is not retried. Fix the cause shown under Attempts, then redeliver it.';
  }
  if (state === 'failed') {
    return `The last attempt failed.${when} Once the sink accepts any event, this one follows immediately.`;
  }
  return `It waits for delivery.${when}`;
}

/**
 * @param {WholeEvent} event
 * @returns {[string, Node | string][]}
 */
function factsOf(event) {
  const { id, trust, hirerId, requestId, subscriptionId, createDateTime, receivedAt, repeats } = event;
  return [
    ['Event', make('code', {}, id)],
    ['Hirer', hirerCell(hirerId, 'events')],
    ['Source', TRUST[trust]],
    ['Received', formatTime(receivedAt)],
    ['Happened', createDateTime ? formatTime(createDateTime) : 'unknown'],
    ['Repeats', repeats === 0 ? 'none' : String(repeats)],
    ['Request id', make('code', {}, requestId ?? 'none')],
    ['Subscription', make('code', {}, subscriptionId ?? 'none')],
  ];
}

/** @param {[string, Node | string]} fact */
function toFact([name, value]) {
  return [make('dt', {}, name), make('dd', {}, value)];
}
