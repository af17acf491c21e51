import { byId, make, makeEmpty, makeTable, say } from './dom.js';
import { formatTime, shorten } from './format.js';
import { request } from './session.js';

const GOOD = ['issued', 'ok'];
const COLUMNS = 8;

/** The search of the audit trail. */
export class Audit {
  constructor() {
    this.form = byId('audit-form');
    this.list = byId('audit-list');
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.load();
    });
    byId('audit-export').addEventListener('click', () => void this.export());
  }

  /** Shows the records of one value of one field. */
  async pick(name, value) {
    this.form.reset();
    this.form.elements[name].value = value;
    await this.load();
    byId('audit').scrollIntoView();
    this.list.focus({ preventScroll: true });
  }

  async load(after) {
    try {
      const query = this.query();
      if (after) query.set('after', after);
      this.show(await (await request(`/audit?${query}`)).json(), Boolean(after));
    } catch (fault) {
      this.list.replaceChildren(makeEmpty(fault.message));
    }
  }

  query() {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      if (value === '') continue;
      const isTime = name === 'since' || name === 'until';
      query.set(name, isTime ? new Date(value).toISOString() : value.trim());
    }
    return query;
  }

  show({ items, next }, more) {
    const table = makeTable(this.columns(), items);
    if (more) this.list.querySelector('tbody').append(...table.tBodies[0].rows);
    else this.list.replaceChildren(items.length > 0 ? table : makeEmpty('No records that fit.'));
    this.list.querySelector('.more')?.remove();
    if (next) {
      const button = make('button', { type: 'button', onclick: () => this.load(next) }, 'Show older records');
      this.list.append(make('p', { className: 'more' }, button));
    }
  }

  columns() {
    const filter = (name, value, length) =>
      value
        ? make(
            'button',
            {
              type: 'button',
              className: 'link',
              title: `${value}: show all`,
              onclick: () => this.pick(name, value),
            },
            shorten(value, length),
          )
        : '–';
    return [
      { title: 'Time', cell: (record) => this.detailsButton(record) },
      { title: 'Action', cell: ({ action }) => action },
      { title: 'Outcome', cell: ({ outcome }) => badge(outcome) },
      { title: 'User', kind: 'mono', cell: ({ user }) => filter('user', user, 8) },
      { title: 'Hirer', kind: 'mono', cell: ({ hirerId }) => filter('hirer', hirerId, 28) },
      {
        title: 'Scopes',
        cell: ({ scopesGranted, scopesAsked }) => (scopesGranted ?? scopesAsked ?? []).join(' '),
      },
      { title: 'From', cell: ({ source, actor, address }) => source ?? actor ?? address ?? '' },
      { title: 'Request', kind: 'mono', cell: ({ requestId }) => filter('request', requestId, 8) },
    ];
  }

  detailsButton(record) {
    const button = make(
      'button',
      { type: 'button', className: 'link', aria: { expanded: 'false' }, title: 'The whole record' },
      formatTime(record.time),
    );
    button.addEventListener('click', () => {
      const row = button.closest('tr');
      const open = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!open));
      if (open) row.nextElementSibling.remove();
      else {
        const text = JSON.stringify(record, null, 2);
        row.after(
          make('tr', { className: 'details' }, make('td', { colSpan: COLUMNS, className: 'mono' }, text)),
        );
      }
    });
    return button;
  }

  async export() {
    try {
      const blob = await (await request(`/audit/export?${this.query()}`)).blob();
      const link = make('a', { href: URL.createObjectURL(blob), download: 'audit.ndjson' });
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (fault) {
      say(fault.message);
    }
  }
}

function badge(outcome) {
  const tone = GOOD.includes(outcome) ? 'good' : /error|timeout|unavailable/.test(outcome) ? 'bad' : 'warn';
  return make('span', { className: 'badge', data: { tone } }, outcome);
}
