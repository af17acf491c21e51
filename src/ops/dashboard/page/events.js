import { byId, formById, make, makeEmpty, makeTable, say, showPage, textOf } from './dom.js';
import { formatTime, shorten } from './format.js';
import { Refusal, request } from './session.js';

/**
 * An event as the route gives it; its further members are not shown.
 * @typedef {object} EventRecord
 * @property {string} id
 * @property {string} type
 * @property {string} state
 * @property {string} receivedAt
 * @property {number} attempts
 * @property {string | null} [hirerId]
 * @property {string | null} [lastFailure]
 */

const REDELIVERABLE = ['failed', 'dead', 'delivered', 'stored', 'pending'];

/** The list of events, with a button to redeliver each. */
export class Events {
  constructor() {
    this.form = formById('events-form');
    this.list = byId('events-list');
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.load();
    });
  }

  /** @param {string} [after] cursor of the page; without it, the first */
  async load(after) {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      if (typeof value === 'string' && value !== '') query.set(name, value);
    }
    if (after) query.set('after', after);
    try {
      const page = await (await request(`/events?${query}`)).json();
      this.show(page, Boolean(after));
    } catch (error) {
      const missing = error instanceof Refusal && error.status === 404;
      this.list.replaceChildren(makeEmpty(missing ? 'This service stores no events.' : textOf(error)));
    }
  }

  /**
   * @param {{ items: EventRecord[], next: string | null }} page
   * @param {boolean} appends
   */
  show({ items, next }, appends) {
    if (items.length === 0 && !appends) {
      this.list.replaceChildren(makeEmpty('No matching events.'));
      return;
    }
    const onclick = () => this.load(next ?? undefined);
    const more = next ? make('button', { type: 'button', onclick }, 'Show older events') : null;
    showPage(this.list, makeTable(this.columns(), items), appends, more);
  }

  /** @returns {import('./dom.js').Column<EventRecord>[]} */
  columns() {
    return [
      { title: 'Received', cell: ({ receivedAt }) => formatTime(receivedAt) },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => String(attempts) },
      {
        title: 'Hirer',
        kind: 'mono',
        cell: ({ hirerId }) => make('span', { title: hirerId ?? '' }, shorten(hirerId ?? '–', 28)),
      },
      { title: 'Event', kind: 'mono', cell: ({ id }) => make('span', { title: id }, shorten(id, 14)) },
      { title: 'Last failure', kind: 'wrap', cell: ({ lastFailure }) => lastFailure ?? '' },
      { title: '', cell: (event) => this.redeliverButton(event) },
    ];
  }

  /** @param {EventRecord} event */
  redeliverButton({ id, state }) {
    if (!REDELIVERABLE.includes(state)) return '';
    const button = make('button', { type: 'button', aria: { label: `Redeliver event ${id}` } }, 'Redeliver');
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await request(`/events/${encodeURIComponent(id)}/redeliver`, { method: 'POST' });
        say('The event is queued for delivery.');
        await this.load();
      } catch (error) {
        say(textOf(error));
        button.disabled = false;
      }
    });
    return button;
  }
}
