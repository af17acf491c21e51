import { addressOfEvent } from './addresses.js';
import { byId, fillForm, formById, make, makeEmpty, makeTable, say, showPage, textOf } from './dom.js';
import { formatTime, shortId } from './format.js';
import { readFilters } from './hirer-search.js';
import { hirerCell } from './hirers.js';
import { Redeliveries } from './redelivery.js';
import { Refusal, request } from './session.js';

/** @import { EventRecord } from '../../../webhooks/store/records/event-records.js' */

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

  /**
   * Shows the events that have these values.
   * @param {Record<string, string>} filter
   */
  async pick(filter) {
    fillForm(this.form, filter);
    await this.load();
    byId('events').scrollIntoView();
    this.list.focus({ preventScroll: true });
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
      {
        title: 'Received',
        cell: ({ id, receivedAt }) =>
          make(
            'a',
            { href: addressOfEvent(id), title: 'The page of this event; that you looked is recorded' },
            formatTime(receivedAt),
          ),
      },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => String(attempts) },
      { title: 'Hirer', cell: ({ hirerId }) => hirerCell(hirerId, 'events') },
      { title: 'Event', kind: 'mono', cell: ({ id }) => make('span', { title: id }, shortId(id)) },
      { title: 'Last failure', kind: 'wrap', cell: ({ lastFailure }) => lastFailure ?? '' },
      { title: 'Redeliver', cell: (event) => this.redeliverButton(event) },
    ];
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
