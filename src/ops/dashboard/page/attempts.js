import { make, makeEmpty, makeTable } from './dom.js';
import { formatMs, formatTime } from './format.js';

/**
 * What went along as the object of an event.
 * @typedef {object} AttemptedObject
 * @property {string} [operation]
 * @property {'whole' | 'partial' | 'null' | 'without'} state
 * @property {{ code: string, path?: (string | number)[] }[]} errors
 */

/**
 * An attempt to deliver an event.
 * @typedef {object} Attempt
 * @property {string} time
 * @property {number} ms
 * @property {string} sink
 * @property {string} target
 * @property {'delivered' | 'failed' | 'dead' | 'cancelled'} outcome
 * @property {number} [status]
 * @property {string} [answer]
 * @property {string} [reason]
 * @property {AttemptedObject} [object]
 */

/**
 * The attempts to deliver an event, the latest first.
 * @param {readonly Attempt[]} history
 * @param {number} attempts how many there were
 */
export function attemptsTable(history, attempts) {
  if (history.length === 0) {
    return makeEmpty(
      attempts === 0
        ? 'There was no attempt yet.'
        : 'Nothing is kept of the attempts: an older version made them.',
    );
  }
  return makeTable(COLUMNS, history);
}

/** @type {import('./dom.js').Column<Attempt>[]} */
const COLUMNS = [
  { title: 'Began', cell: ({ time }) => formatTime(time) },
  { title: 'To', cell: ({ sink, target }) => (target.startsWith('handler:') ? target : sink) },
  {
    title: 'Result',
    cell: ({ outcome }) => make('span', { className: 'badge', data: { state: outcome } }, outcome),
  },
  { title: 'Status', kind: 'number', cell: ({ status }) => (status === undefined ? '–' : String(status)) },
  { title: 'Took', kind: 'number', cell: ({ ms }) => formatMs(ms) },
  {
    title: 'Answer',
    kind: 'wrap wide',
    cell: ({ answer, reason }) => answer ?? reason ?? '',
  },
  { title: 'Object', kind: 'wrap wide', cell: ({ object }) => textOfObject(object) },
];

/**
 * What went along as the object of an event, or why nothing did.
 * @param {AttemptedObject | undefined} object
 */
export function textOfObject(object) {
  if (!object) return 'None goes with this type.';
  const { operation, state, errors } = object;
  const faults = errors.map(({ code, path }) => (path ? `${code} at ${path.join('.')}` : code)).join(', ');
  if (state === 'whole') return `All of it, by ${operation}.`;
  if (state === 'null') return `Null: ${operation} found none.${faults && ` ${faults}.`}`;
  if (state === 'partial') return `Parts of it, by ${operation}. Missing: ${faults}.`;
  if (operation !== undefined) return `None: ${operation} failed, ${faults}.`;
  return errors[0]?.path
    ? `None: the event lacks ${errors[0].path.join('.')}.`
    : 'None: the event names no hirer.';
}
