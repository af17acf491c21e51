import { byId, make, makeEmpty, makeTable } from './dom.js';
import { formatNumber, formatShare } from './format.js';
import { isFailure, KINDS, merge, outcomeNames, outcomeOf, total } from './samples.js';

/** @import { Kind, Sample } from './samples.js' */

/** Whose fault an outcome is, in words. */
const FAULTS = {
  none: '–',
  caller: 'Caller',
  upstream: 'Upstream',
  dependency: 'A dependency',
  service: 'This service',
  unclear: 'Upstream or caller',
};

/**
 * Why some requests of one kind were not served.
 * @typedef {{ kind: Kind, outcome: string, count: number, all: number }} Row
 */

/**
 * Shows why requests were not served, and whose fault it is.
 * @param {readonly Sample[]} samples
 * @param {(outcome: string) => void} onPick called with an outcome to look up in the audit trail
 */
export function showRefusals(samples, onPick) {
  byId('outcomes').replaceChildren(...outcomeNames().map((value) => make('option', { value })));
  const kinds = /** @type {Kind[]} */ (Object.keys(KINDS));
  const tables = kinds.map((kind) => merge(samples.map(({ requests }) => requests[kind])));
  const rows = kinds.flatMap((kind, index) => toRows(kind, tables[index] ?? {}));
  if (rows.length === 0) {
    const isQuiet = tables.every((counts) => total(counts) === 0);
    byId('refusals').replaceChildren(
      makeEmpty(isQuiet ? 'No requests in the last half hour.' : 'Every request was served.'),
    );
    return;
  }
  /** @type {import('./dom.js').Column<Row>[]} */
  const columns = [
    { title: 'Reason', kind: 'mono', cell: ({ outcome }) => pick(outcome, onPick) },
    { title: 'Whose fault', cell: ({ outcome }) => fault(outcome) },
    {
      title: 'Requests',
      cell: ({ kind, count, all }) => `${formatNumber(count)} of ${formatNumber(all)} ${KINDS[kind]}`,
    },
    { title: 'Share', kind: 'number', cell: ({ count, all }) => formatShare(count / all) },
    { title: '', cell: ({ outcome, count, all }) => bar(outcome, count / all) },
    { title: 'What it means', kind: 'wrap', cell: ({ outcome }) => outcomeOf(outcome).meaning },
  ];
  const sorted = rows.sort((a, b) => weight(b) - weight(a) || b.count - a.count);
  byId('refusals').replaceChildren(make('div', { className: 'scroll' }, makeTable(columns, sorted)));
}

/**
 * @param {Kind} kind
 * @param {import('./samples.js').Counts} counts
 * @returns {Row[]}
 */
function toRows(kind, counts) {
  const all = total(counts);
  return Object.entries(counts)
    .filter(([outcome]) => outcomeOf(outcome).fault !== 'none')
    .map(([outcome, count]) => ({ kind, outcome, count, all }));
}

/**
 * Failures come before refusals: somebody waits for them to be fixed.
 * @param {Row} row
 */
function weight({ outcome }) {
  return isFailure(outcome) ? 1 : 0;
}

/** @param {string} outcome */
function fault(outcome) {
  const { fault } = outcomeOf(outcome);
  return make(
    'span',
    { className: 'badge', data: { tone: isFailure(outcome) ? 'bad' : 'warn' } },
    FAULTS[fault],
  );
}

/**
 * @param {string} outcome
 * @param {(outcome: string) => void} onPick
 */
function pick(outcome, onPick) {
  return make(
    'button',
    { type: 'button', className: 'link', title: 'Show in the audit trail', onclick: () => onPick(outcome) },
    outcome,
  );
}

/**
 * A bar whose whole width stands for all requests of that kind.
 * @param {string} outcome
 * @param {number} share
 */
function bar(outcome, share) {
  const fill = make('i');
  fill.style.width = `${share * 100}%`;
  return make(
    'span',
    { className: 'share', data: { kind: isFailure(outcome) ? 'failed' : 'refused' } },
    fill,
  );
}
