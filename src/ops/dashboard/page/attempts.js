import { make, makeEmpty } from './dom.js';
import { formatMs, formatTime } from './format.js';
import { makeTable } from './table.js';

/**
 * An attempt to deliver an event.
 * @typedef {object} Attempt
 * @property {string} time
 * @property {number} ms
 * @property {string} sink
 * @property {'delivered' | 'failed' | 'dead' | 'cancelled'} outcome
 * @property {number} [status]
 * @property {string} [reason]
 */

/**
 * The attempts to deliver an event, the latest first.
 * @param {readonly Attempt[]} history
 */
export function attemptsTable(history) {
  return history.length === 0 ? makeEmpty('No attempts yet.') : makeTable(COLUMNS, history);
}

/** @type {import('./table.js').Column<Attempt>[]} */
const COLUMNS = [
  { title: 'Began', cell: ({ time }) => formatTime(time) },
  { title: 'To', cell: ({ sink }) => sink },
  {
    title: 'Result',
    cell: ({ outcome }) => make('span', { className: 'badge', data: { state: outcome } }, outcome),
  },
  { title: 'Status', kind: 'number', cell: ({ status }) => (status === undefined ? '–' : String(status)) },
  { title: 'Took', kind: 'number', cell: ({ ms }) => formatMs(ms) },
  { title: 'Reason', kind: 'wrap wide', cell: ({ reason }) => reason ?? '' },
];
