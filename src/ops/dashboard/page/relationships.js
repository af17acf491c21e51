import { byId, make, makeEmpty, makeTable, say } from './dom.js';
import { formatTime } from './format.js';
import { Refusal, request } from './session.js';

/** Hirers whose relationship changed, until somebody says that they looked. */
export class Relationships {
  constructor() {
    this.list = byId('relationships-list');
  }

  async load() {
    try {
      const { items } = await (await request('/relationships')).json();
      this.list.replaceChildren(items.length > 0 ? this.table(items) : makeEmpty('Nothing to look at.'));
    } catch (fault) {
      const missing = fault instanceof Refusal && fault.status === 404;
      this.list.replaceChildren(makeEmpty(missing ? 'This service keeps no relationships.' : fault.message));
    }
  }

  table(items) {
    return makeTable(
      [
        { title: 'Hirer', kind: 'mono', cell: ({ hirerId }) => hirerId },
        { title: 'Changed', cell: ({ changedAt }) => formatTime(changedAt) },
        { title: 'Times', kind: 'number', cell: ({ changes }) => String(changes) },
        { title: '', cell: ({ hirerId }) => this.settleButton(hirerId) },
      ],
      items,
    );
  }

  settleButton(hirerId) {
    const button = make(
      'button',
      { type: 'button', aria: { label: `I have looked at ${hirerId}` } },
      'Looked at',
    );
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await request(`/relationships/${encodeURIComponent(hirerId)}`, { method: 'DELETE' });
        await this.load();
      } catch (fault) {
        say(fault.message);
        button.disabled = false;
      }
    });
    return button;
  }
}
