import { byId, fillForm, formById, make, makeEmpty, makeTable, say, showPage, textOf } from './dom.js';
import { formatMs, formatTime, shortId } from './format.js';
import { readFilters } from './hirer-search.js';
import { hirerCell } from './hirers.js';
import { isFailure, isGood } from './samples.js';
import { request } from './session.js';

/** @import { AuditView } from '../../../audit/audit-view.js' */

const COLUMNS = 9;
/** Outcomes of requests whose hirer may be made up. */
const UNVERIFIED = ['hirer_forbidden', 'unauthenticated', 'invalid_request', 'rate_limited', 'cancelled'];

/** The search of the audit trail. */
export class Audit {
  constructor() {
    this.form = formById('audit-form');
    this.list = byId('audit-list');
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      this.list.replaceChildren(makeEmpty('Searching…'));
      void this.load();
    });
    byId('audit-export').addEventListener('click', () => void this.export());
  }

  /**
   * Shows the records that have these values.
   * @param {Record<string, string>} filter
   */
  async pick(filter) {
    fillForm(this.form, filter);
    this.list.replaceChildren(makeEmpty('Searching…'));
    await this.load();
    byId('audit').scrollIntoView();
    this.list.focus({ preventScroll: true });
  }

  /** @param {string} [after] cursor of the page; without it, the first */
  async load(after) {
    try {
      const query = await readFilters(this.form);
      if (after) query.set('after', after);
      this.show(await (await request(`/audit?${query}`)).json(), Boolean(after));
    } catch (error) {
      this.list.replaceChildren(makeEmpty(textOf(error)));
    }
  }

  /**
   * @param {{ items: AuditView[], next: string | null }} page
   * @param {boolean} appends
   */
  show({ items, next }, appends) {
    if (items.length === 0 && !appends) {
      this.list.replaceChildren(makeEmpty('No matching records.'));
      return;
    }
    const onclick = () => this.load(next ?? undefined);
    const more = next ? make('button', { type: 'button', onclick }, 'Show older records') : null;
    showPage(this.list, makeTable(this.columns(), items), appends, more);
  }

  /** @returns {import('./dom.js').Column<AuditView>[]} */
  columns() {
    /** @type {(name: string, value: string | null) => Node | string} */
    const filter = (name, value) =>
      value
        ? make(
            'button',
            {
              type: 'button',
              className: 'link',
              title: `${value}: show all`,
              onclick: () => this.pick({ [name]: value }),
            },
            shortId(value),
          )
        : '–';
    return [
      { title: 'Time', cell: (record) => this.detailsButton(record) },
      { title: 'Action', cell: ({ action }) => action },
      { title: 'Outcome', cell: ({ outcome }) => badge(outcome) },
      { title: 'User', kind: 'mono', cell: ({ user }) => filter('user', user) },
      {
        title: 'Hirer',
        cell: ({ hirerId, outcome }) => hirerCell(hirerId, 'audit', !UNVERIFIED.includes(outcome)),
      },
      {
        title: 'Operation, or scopes',
        kind: 'wrap',
        cell: ({ operations, scopesGranted, scopesAsked }) =>
          operations?.join(', ') ?? (scopesGranted ?? scopesAsked ?? []).join(' '),
      },
      { title: 'Took', kind: 'number', cell: ({ ms }) => formatMs(ms ?? null) },
      { title: 'From', cell: ({ source, actor, address }) => source ?? actor ?? address ?? '' },
      { title: 'Request', kind: 'mono', cell: ({ requestId }) => filter('request', requestId) },
    ];
  }

  /** @param {AuditView} record */
  detailsButton(record) {
    const button = make(
      'button',
      { type: 'button', className: 'link', aria: { expanded: 'false' }, title: 'The whole record' },
      formatTime(record.time),
    );
    button.addEventListener('click', () => {
      const row = button.closest('tr');
      if (!row) return;
      const open = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!open));
      if (open) {
        row.nextElementSibling?.remove();
      } else {
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
      const blob = await (await request(`/audit/export?${await readFilters(this.form)}`)).blob();
      const link = make('a', { href: URL.createObjectURL(blob), download: 'audit.ndjson' });
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      say(textOf(error));
    }
  }
}

/** @param {string} outcome */
function badge(outcome) {
  const tone = isGood(outcome) ? 'good' : isFailure(outcome) ? 'bad' : 'warn';
  return make('span', { className: 'badge', data: { tone } }, outcome);
}
