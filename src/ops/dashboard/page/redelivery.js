import { byId, make, say, textOf } from './dom.js';
import { formatTime } from './format.js';
import { request } from './session.js';

const STATES = ['failed', 'dead', 'delivered', 'stored'];

/** @typedef {{ total: number, sinks: readonly string[] }} RedeliveryPlan */

/** Redelivers all events that match the filter; says how many first. */
export class Redeliveries {
  /**
   * @param {() => Promise<URLSearchParams>} readFilter
   * @param {() => void} onStart called when events are being queued
   */
  constructor(readFilter, onStart) {
    this.readFilter = readFilter;
    this.onStart = onStart;
    this.dialog = /** @type {HTMLDialogElement} */ (byId('redeliver'));
    this.sink = /** @type {HTMLSelectElement} */ (byId('redeliver-sink'));
    this.asNew = /** @type {HTMLInputElement} */ (byId('redeliver-new'));
    /** @type {Record<string, string> | undefined} */
    this.filter = undefined;
    byId('redeliver-all').addEventListener('click', () => void this.ask());
    this.sink.addEventListener('change', () => void this.choose());
    this.dialog.addEventListener('close', () => {
      if (this.dialog.returnValue === 'redeliver') void this.start();
      this.dialog.returnValue = '';
    });
  }

  /** Asks whether to redeliver the events that match, for a start to every sink. */
  async ask() {
    try {
      this.filter = Object.fromEntries(await this.readFilter());
      if (!STATES.includes(this.filter['state'] ?? '')) {
        say(`Choose a state first: ${STATES.join(', ')}.`);
        return;
      }
      const { sinks } = await this.plan();
      const options = sinks.map((name) => make('option', { value: name }, name));
      this.sink.replaceChildren(make('option', { value: '' }, 'every sink'), ...options);
      byId('redeliver-to').hidden = sinks.length < 2;
      this.asNew.checked = false;
      this.dialog.showModal();
    } catch (error) {
      say(textOf(error));
    }
  }

  /**
   * Shows how many events match.
   * @returns {Promise<RedeliveryPlan>}
   */
  async plan() {
    const { filter = {} } = this;
    /** @type {RedeliveryPlan} */
    const plan = await send({ ...filter, dryRun: true });
    const { total } = plan;
    byId('redeliver-text').textContent =
      total === 0
        ? 'No event matches.'
        : `${total.toLocaleString('en-GB')} ${total === 1 ? 'event matches' : 'events match'}: ${describe(filter)}.`;
    byId('redeliver-go').hidden = total === 0;
    return plan;
  }

  async choose() {
    const filter = { ...this.filter };
    delete filter['sink'];
    this.filter = this.sink.value ? { ...filter, sink: this.sink.value } : filter;
    await this.plan().catch((error) => say(textOf(error)));
  }

  async start() {
    try {
      /** @type {{ total: number }} */
      const { total } = await send({ ...this.filter, ...(this.asNew.checked && { asNew: true }) });
      say(`${total.toLocaleString('en-GB')} ${total === 1 ? 'event is' : 'events are'} queued for delivery.`);
      this.onStart();
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
