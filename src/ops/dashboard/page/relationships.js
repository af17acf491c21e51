import { byId, make, makeEmpty, makeTable, say, textOf } from './dom.js';
import { formatTime } from './format.js';
import { hirerCell } from './hirers.js';
import { Refusal, request } from './session.js';

/** @import { RelationshipChange } from '../../../webhooks/store/relationship-changes.js' */

/** Hirers whose relationship changed, until someone marks the change as reviewed. */
export class Relationships {
  constructor() {
    this.list = byId('relationships-list');
  }

  async load() {
    try {
      const { items } = await (await request('/relationships')).json();
      this.list.replaceChildren(items.length > 0 ? this.table(items) : makeEmpty('Nothing to review.'));
    } catch (error) {
      const missing = error instanceof Refusal && error.status === 404;
      this.list.replaceChildren(
        makeEmpty(missing ? 'This service stores no relationship changes.' : textOf(error)),
      );
    }
  }

  /** @param {RelationshipChange[]} items */
  table(items) {
    return makeTable(
      [
        { title: 'Hirer', cell: ({ hirerId }) => hirerCell(hirerId, 'events') },
        { title: 'Changed', cell: ({ changedAt }) => formatTime(changedAt) },
        { title: 'Changes', kind: 'number', cell: ({ changes }) => String(changes) },
        { title: 'Review', cell: ({ hirerId }) => this.settleButton(hirerId) },
      ],
      items,
    );
  }

  /** @param {string} hirerId */
  settleButton(hirerId) {
    const button = make(
      'button',
      { type: 'button', aria: { label: `Mark ${hirerId} as reviewed` } },
      'Reviewed',
    );
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await request(`/relationships/${encodeURIComponent(hirerId)}`, { method: 'DELETE' });
        await this.load();
      } catch (error) {
        say(textOf(error));
        button.disabled = false;
      }
    });
    return button;
  }
}
