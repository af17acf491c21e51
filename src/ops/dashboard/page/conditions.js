import { addressOfList } from './addresses.js';
import { byId, make } from './dom.js';
import { formatTime } from './format.js';

/** @import { ConditionView } from '../../../telemetry/conditions/conditions.js' */

const RUNBOOK = 'docs/runbook.md';
/** The events that a condition speaks of, by their state. */
const EVENTS = { 'events-dead': 'dead', 'events-late': 'pending', 'deliveries-failing': 'failed' };
/** The requests that a condition speaks of, by their outcome, where they have one alone. */
const REQUESTS = {
  'issuer-failing': 'unavailable',
  'credentials-refused': 'unavailable',
  'partner-token-missing': 'unavailable',
  'identity-provider-failing': 'unavailable',
  'memberships-failing': 'unavailable',
  'upstream-failing': '',
  'upstream-slow': '',
  'upstream-rate-limited': 'rate_limited',
  'internal-errors': 'internal_error',
};

/** Ended ones beyond these are folded into one line. */
const ENDED_MAX = 2;

let shown = '';

/**
 * Shows what is wrong, the worst first, and then what ended within the hour.
 * @param {readonly ConditionView[]} conditions
 */
export function showConditions(conditions) {
  const active = conditions.filter((one) => one.active);
  const ended = conditions
    .filter((one) => !one.active && one.endedAt !== null)
    .toSorted((a, b) => Date.parse(b.endedAt ?? '') - Date.parse(a.endedAt ?? ''));
  document.title = `${active.length > 0 ? `(${active.length}) ` : ''}${document.title.replace(/^\(\d+\) /, '')}`;
  const key = JSON.stringify([active, ended]);
  if (key === shown) return; // what is being read, or has the focus, stays
  shown = key;
  byId('conditions-list').replaceChildren(
    ...(active.length === 0 ? [sentence('good', 'Nothing is wrong.')] : []),
    ...active.map(toItem),
    ...(ended.length > ENDED_MAX ? [folded(ended)] : ended.map(pastOf).map((text) => sentence('info', text))),
  );
}

/** @param {ConditionView} condition */
function pastOf({ summary, endedAt }) {
  return `${summary} It ended at ${formatTime(endedAt ?? '')}.`;
}

/** One line for many; it stays open. @param {readonly ConditionView[]} ended */
function folded(ended) {
  const open = byId('conditions-list').querySelector('details')?.open ?? false;
  const lines = ended.map((one) => make('p', {}, pastOf(one)));
  const title = make('summary', { className: 'what' }, `${ended.length} ended in the last hour`);
  return make('li', { data: { severity: 'info' } }, make('details', { open }, title, ...lines));
}

/**
 * @param {string} severity
 * @param {string} text
 */
function sentence(severity, text) {
  return make('li', { data: { severity } }, make('p', { className: 'what' }, text));
}

/** @param {ConditionView} condition */
function toItem(condition) {
  const { severity, since, culprit, summary, action, runbook } = condition;
  return make(
    'li',
    { data: { severity: severity === 'page' ? 'bad' : 'warn' } },
    make('p', { className: 'what' }, summary),
    make(
      'dl',
      {},
      make('dt', {}, 'Cause'),
      make('dd', {}, `${culprit.replaceAll('-', ' ')}, since ${formatTime(since ?? '')}`),
      make('dt', {}, 'What to do'),
      make('dd', {}, action),
      make('dt', {}, 'More'),
      make('dd', {}, linkOf(condition), make('code', {}, `${RUNBOOK}#`, make('wbr'), runbook)),
    ),
  );
}

/** @param {ConditionView} condition */
function linkOf({ name, culprit, since }) {
  const state = culprit === 'sink' && name === 'events-late' ? 'failed' : valueOf(EVENTS, name);
  if (state) {
    return make('a', { className: 'list', href: addressOfList('events', { state }) }, 'Show the events');
  }
  const outcome = valueOf(REQUESTS, name);
  if (outcome === undefined) return null;
  const href = addressOfList('audit', { ...(outcome && { outcome }), since: since ?? '' });
  return make('a', { className: 'list', href }, 'Show the requests');
}

/**
 * @param {Record<string, string>} values
 * @param {string} name
 */
function valueOf(values, name) {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
