import { byId, formById, make, makeEmpty, makeTable, say, showPage, textOf } from './dom.js';
import { formatTime, shortId } from './format.js';
import { readFilters } from './hirer-search.js';
import { Redeliveries } from './redelivery.js';
import { Refusal, request } from './session.js';

/**
 * An event as the route gives it, without its payload.
 * @typedef {object} EventRecord
 * @property {string} id
 * @property {string} type
 * @property {string} state
 * @property {string} receivedAt
 * @property {number} attempts
 * @property {string | null} [hirerId]
 * @property {string | null} [lastFailure]
 */

const COLUMNS = 8;

/** The list of events: each can be looked at and redelivered, and all that match the filter together. */
export class Events {
  constructor() {
    this.form = formById('events-form');
    this.list = byId('events-list');
    this.redeliveries = new Redeliveries(
      () => readFilters(this.form),
      () => void this.load(),
    );
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.load();
    });
  }

  /** @param {string} [after] cursor of the page; without it, the first */
  async load(after) {
    try {
      const query = await readFilters(this.form);
      query.set('payload', 'false');
      if (after) query.set('after', after);
      const page = await (await request(`/events?${query}`)).json();
      this.show(page, Boolean(after));
    } catch (error) {
      const missing = error instanceof Refusal && error.status === 404;
      this.list.replaceChildren(makeEmpty(missing ? 'This service stores no events.' : textOf(error)));
    }
    void this.redeliveries.load();
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
      { title: 'Received', cell: (event) => this.detailsButton(event) },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => String(attempts) },
      {
        title: 'Hirer',
        kind: 'mono',
        cell: ({ hirerId }) => make('span', { title: hirerId ?? '' }, hirerId ? shortId(hirerId) : '–'),
      },
      { title: 'Event', kind: 'mono', cell: ({ id }) => make('span', { title: id }, shortId(id)) },
      { title: 'Last failure', kind: 'wrap', cell: ({ lastFailure }) => lastFailure ?? '' },
      { title: '', cell: (event) => this.redeliverButton(event) },
    ];
  }

  /**
   * Opens the whole event below its row; the service records who looked.
   * @param {EventRecord} event
   */
  detailsButton({ id, receivedAt }) {
    const title = 'The whole event with its payload; that you looked is recorded';
    const button = make(
      'button',
      { type: 'button', className: 'link', aria: { expanded: 'false' }, title },
      formatTime(receivedAt),
    );
    button.addEventListener('click', async () => {
      const row = button.closest('tr');
      if (!row) return;
      const open = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!open));
      if (open) {
        row.nextElementSibling?.remove();
        return;
      }
      const text = await this.read(id);
      row.after(
        make('tr', { className: 'details' }, make('td', { colSpan: COLUMNS, className: 'mono' }, text)),
      );
    });
    return button;
  }

  /** @param {string} id */
  async read(id) {
    try {
      return await (await request(`/events/${encodeURIComponent(id)}`)).text().then(indent);
    } catch (error) {
      return textOf(error);
    }
  }

  /** @param {EventRecord} event */
  redeliverButton({ id }) {
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

/** @param {string} json */
function indent(json) {
  return JSON.stringify(JSON.parse(json), null, 2);
}
