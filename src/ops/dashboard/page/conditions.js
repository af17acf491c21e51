import { addressOfList } from './addresses.js';
import { byId, make } from './dom.js';
import { formatTime } from './format.js';

/** @import { ConditionView } from '../../../telemetry/conditions/conditions.js' */

const RUNBOOK = 'docs/runbook.md';
/** Where the page shows more of a condition. */
const LISTS = {
  'events-dead': addressOfList('events', { state: 'dead' }),
  'events-late': addressOfList('events', { state: 'pending' }),
  'deliveries-failing': addressOfList('events', { state: 'failed' }),
  'internal-errors': addressOfList('audit', { outcome: 'internal_error' }),
  'upstream-rate-limited': addressOfList('audit', { outcome: 'rate_limited' }),
};

let shown = '';

/**
 * Shows what is wrong, the worst first, and then what ended within the hour.
 * @param {readonly ConditionView[]} conditions
 */
export function showConditions(conditions) {
  const active = conditions.filter((one) => one.active);
  const ended = conditions.filter((one) => !one.active && one.endedAt !== null);
  document.title = `${active.length > 0 ? `(${active.length}) ` : ''}${document.title.replace(/^\(\d+\) /, '')}`;
  const key = JSON.stringify([active, ended]);
  if (key === shown) return; // what is being read, or has the focus, stays
  shown = key;
  byId('conditions-list').replaceChildren(
    ...(active.length === 0 ? [sentence('good', 'Nothing is wrong.')] : []),
    ...active.map(toItem),
    ...ended.map(({ name, endedAt }) =>
      sentence('info', `${name} ended at ${formatTime(Date.parse(endedAt ?? ''))}.`),
    ),
  );
}

/**
 * @param {string} severity
 * @param {string} text
 */
function sentence(severity, text) {
  return make('li', { data: { severity } }, make('p', { className: 'what' }, text));
}

/** @param {ConditionView} condition */
function toItem({ name, severity, since, culprit, summary, action, runbook }) {
  const href = Object.hasOwn(LISTS, name) ? LISTS[/** @type {keyof typeof LISTS} */ (name)] : undefined;
  return make(
    'li',
    { data: { severity: severity === 'page' ? 'bad' : 'warn' } },
    make('p', { className: 'what' }, summary),
    make(
      'dl',
      {},
      make('dt', {}, 'Whose fault'),
      make('dd', {}, `${culprit.replaceAll('-', ' ')}, since ${formatTime(Date.parse(since ?? ''))}`),
      make('dt', {}, 'What to do'),
      make(
        'dd',
        {},
        `${action} `,
        make('span', {}, `Runbook: ${RUNBOOK}#${runbook}`),
        href ? ' ' : null,
        href ? make('a', { className: 'list', href }, 'Show them') : null,
      ),
    ),
  );
}
