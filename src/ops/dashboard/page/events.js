import { addressOfEvent } from './addresses.js';
import { make, say, textOf } from './dom.js';
import { FilteredList } from './filtered-list.js';
import { formatTime, shortId } from './format.js';
import { readFilters } from './hirer-search.js';
import { hirerCell } from './hirers.js';
import { Redeliveries } from './redelivery.js';
import { request } from './session.js';

/** @import { EventRecord } from '../../../webhooks/store/event-records.js' */

/** Events that will be delivered, or have been, need no redelivery from here; the page of an event offers it all the same. */
const REDELIVERED = ['failed', 'dead'];

/**
 * The list of events: each can be looked at and redelivered, and all that match the filter together.
 * @extends {FilteredList<EventRecord>}
 */
export class Events extends FilteredList {
  constructor() {
    super('events', '/events?payload=false&', 'events', [
      {
        title: 'Received',
        cell: ({ id, receivedAt }) =>
          make(
            'a',
            {
              href: addressOfEvent(id),
              title: 'Opens this event. The audit trail records that you opened it',
            },
            formatTime(receivedAt),
          ),
      },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
      { title: 'Attempts', kind: 'number', cell: ({ attempts }) => String(attempts) },
      { title: 'Hirer', cell: ({ hirerId }) => hirerCell(hirerId, 'events') },
      { title: 'Event', kind: 'mono', cell: ({ id }) => make('span', { title: id }, shortId(id)) },
      { title: 'Last failure', kind: 'wrap', cell: ({ lastFailure }) => lastFailure ?? '' },
      {
        title: 'Redeliver',
        cell: (event) => (REDELIVERED.includes(event.state) ? this.redeliverButton(event) : ''),
      },
    ]);
    this.redeliveries = new Redeliveries(
      () => readFilters(this.form),
      () => void this.load(),
    );
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
