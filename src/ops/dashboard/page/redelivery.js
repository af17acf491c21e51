import { byId, make, say, textOf } from './dom.js';
import { formatTime } from './format.js';
import { request } from './session.js';

const PROGRESS_EVERY_MS = 2_000;
const STATES = ['failed', 'dead', 'delivered', 'stored'];

/**
 * A redelivery of many events, as the route gives it.
 * @typedef {object} Redelivery
 * @property {string} id
 * @property {'running' | 'done' | 'cancelled'} state
 * @property {Record<string, string>} filter
 * @property {string | null} actor
 * @property {string} startedAt
 * @property {number} total
 * @property {number} queued
 * @property {Partial<Record<string, number>>} events
 */

/** Redelivers all events that match the filter: says how many first, then how far it is. */
export class Redeliveries {
  /**
   * @param {() => Promise<URLSearchParams>} readFilter
   * @param {() => void} onStart called when events are being queued
   */
  constructor(readFilter, onStart) {
    this.readFilter = readFilter;
    this.onStart = onStart;
    /** @type {number | undefined} */
    this.timer = undefined;
    byId('redeliver-all').addEventListener('click', () => void this.ask());
    const dialog = /** @type {HTMLDialogElement} */ (byId('redeliver'));
    dialog.addEventListener('close', () => {
      if (dialog.returnValue === 'redeliver') void this.start();
      dialog.returnValue = '';
    });
  }

  /** Shows how many events match, and asks whether to redeliver them. */
  async ask() {
    try {
      this.filter = Object.fromEntries(await this.readFilter());
      if (!STATES.includes(this.filter['state'] ?? '')) {
        say(`Choose a state first: ${STATES.join(', ')}.`);
        return;
      }
      const { total } = await send({ ...this.filter, dryRun: true });
      byId('redeliver-text').textContent =
        total === 0
          ? 'No event matches.'
          : `${total.toLocaleString('en-GB')} ${total === 1 ? 'event matches' : 'events match'}: ${describe(this.filter)}.`;
      byId('redeliver-go').hidden = total === 0;
      const dialog = /** @type {HTMLDialogElement} */ (byId('redeliver'));
      dialog.showModal();
    } catch (error) {
      say(textOf(error));
    }
  }

  async start() {
    try {
      this.show(await send(this.filter ?? {}));
      this.onStart();
    } catch (error) {
      say(textOf(error));
    }
  }

  /** Shows the latest redelivery, and follows it while its events are on their way. */
  async load() {
    try {
      const { items } = await (await request('/events/redeliveries')).json();
      this.show(items[0]);
    } catch {
      byId('redelivery').hidden = true; // the list of events says what is wrong
    }
  }

  /** @param {Redelivery | undefined} redelivery */
  show(redelivery) {
    clearTimeout(this.timer);
    byId('redelivery').hidden = !redelivery;
    if (!redelivery) return;
    const { id, state, actor, startedAt, total, queued, events } = redelivery;
    const counts = ['delivered', 'pending', 'failed', 'dead', 'stored']
      .filter((name) => events[name])
      .map((name) => `${(events[name] ?? 0).toLocaleString('en-GB')} ${name}`);
    const title = `Redelivery of ${formatTime(startedAt)}${actor ? ` by ${actor}` : ''} (${describe(redelivery.filter)})`;
    const progress = `${queued.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')} queued`;
    const onclick = () => void this.cancel(id);
    byId('redelivery').replaceChildren(
      make('span', { className: 'badge', data: { state: state === 'running' ? 'pending' : state } }, state),
      make('span', {}, `${title}: ${[progress, ...counts].join(', ')}`),
      make('progress', { max: Math.max(1, total), value: queued }),
      state === 'running' ? make('button', { type: 'button', onclick }, 'Cancel') : '',
    );
    const isMoving = state === 'running' || (events['pending'] ?? 0) > 0;
    if (isMoving) this.timer = window.setTimeout(() => void this.load(), PROGRESS_EVERY_MS);
  }

  /** @param {string} id */
  async cancel(id) {
    try {
      const path = `/events/redeliveries/${encodeURIComponent(id)}`;
      this.show(await (await request(path, { method: 'DELETE' })).json());
    } catch (error) {
      say(textOf(error));
    }
  }
}

/** @param {Record<string, unknown>} body */
async function send(body) {
  const response = await request('/events/redeliver', { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

/** @param {Record<string, string>} filter */
function describe(filter) {
  return Object.entries(filter)
    .map(([name, value]) => `${name} ${name === 'since' || name === 'until' ? formatTime(value) : value}`)
    .join(', ');
}
