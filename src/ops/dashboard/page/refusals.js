import { FAILURES, merge, total } from './charts.js';
import { byId, make, makeEmpty, makeTable } from './dom.js';
import { formatNumber, formatShare } from './format.js';

/** What each outcome means, for whoever is on call. `docs/runbook.md` says what to do. */
const MEANINGS = {
  invalid_request: 'The body was not what the contract asks for: a fault of the frontend.',
  unauthenticated: 'No end-user token, or one that is expired or forged.',
  hirer_forbidden: 'The user is no member of the hirer, or it does not exist.',
  scope_forbidden: 'A scope that the role may not ask for.',
  csrf_failed: 'A cookie came without the header or the origin that prove our own page sent it.',
  hirer_not_connected: 'The upstream knows no relationship with this hirer.',
  rate_limited: 'A user asked too often, or the upstream limits us.',
  payload_too_large: 'The body was too large.',
  unsupported_media_type: 'The body was no JSON in UTF-8.',
  internal_error: 'A fault of this service: look into the log.',
  upstream_error: 'The upstream answered with nonsense, an error, or not at all.',
  unavailable: 'No partner token could be had, or the upstream is overloaded.',
  upstream_timeout: 'The upstream did not answer in time.',
};

/** Why token requests were not served. `onPick` hears of the outcome to look up in the audit trail. */
export function showRefusals(samples, onPick) {
  const outcomes = merge(samples, 'outcomes');
  const asked = total(outcomes);
  const rows = Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'issued')
    .sort(([, a], [, b]) => b - a);
  byId('outcomes').replaceChildren(
    ...Object.keys({ issued: 0, ok: 0, ...MEANINGS }).map((value) => make('option', { value })),
  );
  if (rows.length === 0) {
    byId('refusals').replaceChildren(
      makeEmpty(asked > 0 ? 'Every request was served.' : 'No token requests in the last half hour.'),
    );
    return;
  }
  const table = makeTable(
    [
      { title: 'Reason', kind: 'mono', cell: ([outcome]) => pick(outcome, onPick) },
      { title: 'Requests', kind: 'number', cell: ([, count]) => formatNumber(count) },
      { title: 'Share', kind: 'number', cell: ([, count]) => formatShare(count / asked) },
      { title: '', cell: ([outcome, count]) => bar(outcome, count / rows[0][1]) },
      { title: 'What it means', kind: 'wrap', cell: ([outcome]) => MEANINGS[outcome] ?? '' },
    ],
    rows,
  );
  byId('refusals').replaceChildren(make('div', { className: 'scroll' }, table));
}

function pick(outcome, onPick) {
  return make(
    'button',
    { type: 'button', className: 'link', title: 'Show in the audit trail', onclick: () => onPick(outcome) },
    outcome,
  );
}

function bar(outcome, share) {
  const fill = make('i');
  fill.style.width = `${share * 100}%`;
  return make(
    'span',
    { className: 'share', data: { kind: FAILURES.includes(outcome) ? 'failed' : 'refused' } },
    fill,
  );
}
