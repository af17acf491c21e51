import { byId, make, makeEmpty, makeTable } from './dom.js';
import { formatNumber, formatShare } from './format.js';
import { codeOf, FAULTS, isFailure, KINDS, merge, outcomeNames, outcomeOf, total } from './samples.js';

/** @import { Kind, Sample } from './samples.js' */

/**
 * Why some requests of one kind were not served.
 * @typedef {{ kind: Kind | 'webhook', outcome: string, count: number, all: number }} Row
 */

const NAMES = { ...KINDS, webhook: 'webhooks' };

/**
 * Shows why requests were not served, and whose fault it is.
 * @param {readonly Sample[]} samples
 * @param {(outcome: string) => void} onPick called with an outcome to look up in the audit trail
 */
export function showRefusals(samples, onPick) {
  byId('outcomes').replaceChildren(...outcomeNames().map((value) => make('option', { value })));
  const kinds = /** @type {Kind[]} */ (Object.keys(KINDS));
  /** @type {(readonly [Row['kind'], import('./samples.js').Counts])[]} */
  const tables = [
    ...kinds.map(
      (kind) => /** @type {const} */ ([kind, merge(samples.map(({ requests }) => requests[kind]))]),
    ),
    ['webhook', merge(samples.map(({ webhooks }) => webhooks))],
  ];
  const rows = tables.flatMap(([kind, counts]) => toRows(kind, counts));
  if (rows.length === 0) {
    const isQuiet = tables.every(([, counts]) => total(counts) === 0);
    byId('refusals').replaceChildren(
      makeEmpty(isQuiet ? 'No requests in the last half hour.' : 'Every request was served.'),
    );
    return;
  }
  /** @type {import('./dom.js').Column<Row>[]} */
  const columns = [
    {
      title: 'Reason',
      kind: 'mono',
      cell: ({ kind, outcome }) => (kind === 'webhook' ? codeOf(outcome) : pick(outcome, onPick)),
    },
    { title: 'Whose fault', cell: ({ kind, outcome }) => fault(kind, outcome) },
    {
      title: 'Requests',
      kind: 'wrap',
      cell: ({ kind, outcome, count, all }) => share(kind, outcome, count, all),
    },
    { title: 'What it means', kind: 'wrap wide', cell: ({ outcome }) => outcomeOf(outcome).meaning },
  ];
  const sorted = rows.sort((a, b) => weight(b) - weight(a) || b.count - a.count);
  byId('refusals').replaceChildren(make('div', { className: 'scroll' }, makeTable(columns, sorted)));
}

/**
 * @param {Row['kind']} kind
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

/**
 * A webhook with a wrong signature may be its sender's fault, or that of our secrets.
 * @param {Row['kind']} kind
 * @param {string} outcome
 */
function fault(kind, outcome) {
  const { fault } = outcomeOf(outcome);
  const isUnsigned = kind === 'webhook' && outcome === 'invalid_signature';
  return make(
    'span',
    { className: 'badge', data: { tone: isFailure(outcome) ? 'bad' : 'warn' } },
    isUnsigned
      ? 'Sender, or your secrets'
      : kind === 'webhook' && fault === 'caller'
        ? 'Sender'
        : FAULTS[fault],
  );
}

/**
 * @param {string} outcome
 * @param {(outcome: string) => void} onPick
 */
function pick(outcome, onPick) {
  const code = codeOf(outcome);
  return make(
    'button',
    { type: 'button', className: 'link', title: 'Show in the audit trail', onclick: () => onPick(code) },
    code,
  );
}

/**
 * How many requests of that kind, over a bar whose whole width stands for all of them.
 * @param {Row['kind']} kind
 * @param {string} outcome
 * @param {number} count
 * @param {number} all
 */
function share(kind, outcome, count, all) {
  const fill = make('i');
  fill.style.width = `${(count / all) * 100}%`;
  return make(
    'div',
    {},
    `${formatNumber(count)} of ${formatNumber(all)} ${NAMES[kind]}, ${formatShare(count / all)}`,
    make('span', { className: 'share', data: { kind: isFailure(outcome) ? 'failed' : 'refused' } }, fill),
  );
}
