import { byId, make, makeEmpty, say, textOf } from './dom.js';
import { formatTime } from './format.js';
import { hirerCell } from './hirers.js';
import { Refusal, request } from './session.js';
import { showTable } from './table.js';

/** @import { RelationshipChange } from '../../../webhooks/store/relationships.js' */

/** Hirers whose relationship changed, until someone marks the change as reviewed. */
export class Relationships {
  constructor() {
    this.list = byId('relationships-list');
    /** @type {import('./table.js').Column<RelationshipChange>[]} */
    this.columns = [
      { title: 'Hirer', cell: ({ hirerId }) => hirerCell(hirerId, 'events') },
      { title: 'Changed', cell: ({ changedAt }) => formatTime(changedAt) },
      { title: 'Changes', kind: 'number', cell: ({ changes }) => String(changes) },
      { title: 'Review', cell: ({ hirerId }) => this.settleButton(hirerId) },
    ];
  }

  async load() {
    try {
      const { items } = await (await request('/relationships')).json();
      if (items.length > 0) showTable(this.list, this.columns, items);
      else this.list.replaceChildren(makeEmpty('Nothing to review.'));
    } catch (error) {
      const missing = error instanceof Refusal && error.status === 404;
      this.list.replaceChildren(
        makeEmpty(missing ? 'This service stores no relationship changes.' : textOf(error)),
      );
    }
  }

  /** @param {string} hirerId */
  settleButton(hirerId) {
    const button = make(
      'button',
      { type: 'button', aria: { label: `Mark as reviewed: ${hirerId}` } },
      'Mark as reviewed',
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
