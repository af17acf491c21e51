import { addressOfList } from './addresses.js';
import { byId, make, say, textOf } from './dom.js';
import { FilteredList } from './filtered-list.js';
import { formatMs, formatTime, shortId } from './format.js';
import { readFilters } from './hirer-search.js';
import { hirerCell } from './hirers.js';
import { isFailure, isGood } from './samples.js';
import { request } from './session.js';

/** @import { AuditView } from '../../../audit/audit-record.js' */

const COLUMNS = 9;
/** Outcomes of requests whose hirer may be made up. */
const UNVERIFIED = ['hirer_forbidden', 'unauthenticated', 'invalid_request', 'rate_limited', 'cancelled'];

/**
 * The search of the audit trail.
 * @extends {FilteredList<AuditView>}
 */
export class Audit extends FilteredList {
  constructor() {
    super('audit', '/audit?', 'records', [
      { title: 'Time', cell: detailsButton },
      { title: 'Action', cell: ({ action }) => action },
      { title: 'Outcome', cell: ({ outcome }) => badge(outcome) },
      { title: 'User', kind: 'mono', cell: ({ user }) => filterLink('user', user) },
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
      { title: 'By', cell: ({ source, actor, address }) => source ?? actor ?? address ?? '' },
      { title: 'Request', kind: 'mono', cell: ({ requestId }) => filterLink('request', requestId) },
    ]);
    byId('audit-export').addEventListener('click', () => void this.export());
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

/**
 * @param {string} name
 * @param {string | null} value
 */
function filterLink(name, value) {
  if (!value) return '–';
  return make(
    'a',
    { href: addressOfList('audit', { [name]: value }), title: `${value}: show all` },
    shortId(value),
  );
}

/** @param {AuditView} record */
function detailsButton(record) {
  const button = make(
    'button',
    { type: 'button', className: 'link', aria: { expanded: 'false' }, title: 'The whole record' },
    formatTime(record.time),
  );
  button.addEventListener('click', () => {
    const row = button.closest('tr');
    const open = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!open));
    if (open) {
      row?.nextElementSibling?.remove();
    } else {
      const text = JSON.stringify(record, null, 2);
      row?.after(
        make('tr', { className: 'details' }, make('td', { colSpan: COLUMNS, className: 'mono' }, text)),
      );
    }
  });
  return button;
}

/** @param {string} outcome */
function badge(outcome) {
  const tone = isGood(outcome) ? 'good' : isFailure(outcome) ? 'bad' : 'warn';
  return make('span', { className: 'badge', data: { tone } }, outcome);
}
