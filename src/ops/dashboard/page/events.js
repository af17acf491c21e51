import { byId, make, makeEmpty, makeTable, say } from './dom.js';
import { formatTime, shorten } from './format.js';
import { Refusal, request } from './session.js';

const REDELIVERABLE = ['failed', 'dead', 'delivered', 'stored', 'pending'];

/** The list of events, with a button that has one delivered again. */
export class Events {
  constructor() {
    this.form = byId('events-form');
    this.list = byId('events-list');
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.load();
    });
  }

  async load(after) {
    const query = new URLSearchParams([...new FormData(this.form)].filter(([, value]) => value !== ''));
    if (after) query.set('after', after);
    try {
      const page = await (await request(`/events?${query}`)).json();
      this.show(page, Boolean(after));
    } catch (fault) {
      const missing = fault instanceof Refusal && fault.status === 404;
      this.list.replaceChildren(makeEmpty(missing ? 'This service keeps no events.' : fault.message));
    }
  }

  show({ items, next }, more) {
    const table = makeTable(this.columns(), items);
    if (more) this.list.querySelector('tbody').append(...table.tBodies[0].rows);
    else this.list.replaceChildren(items.length > 0 ? table : makeEmpty('No events that fit.'));
    this.list.querySelector('.more')?.remove();
    if (next) {
      const button = make('button', { type: 'button', onclick: () => this.load(next) }, 'Show older events');
      this.list.append(make('p', { className: 'more' }, button));
    }
  }

  columns() {
    return [
      { title: 'Received', cell: ({ receivedAt }) => formatTime(receivedAt) },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ state }) => make('span', { className: 'badge', data: { state } }, state) },
      { title: 'Tries', kind: 'number', cell: ({ attempts }) => String(attempts) },
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

  redeliverButton({ id, state }) {
    if (!REDELIVERABLE.includes(state)) return '';
    const button = make('button', { type: 'button', aria: { label: `Redeliver event ${id}` } }, 'Redeliver');
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await request(`/events/${encodeURIComponent(id)}/redeliver`, { method: 'POST' });
        say('The event is queued for delivery.');
        await this.load();
      } catch (fault) {
        say(fault.message);
        button.disabled = false;
      }
    });
    return button;
  }
}
