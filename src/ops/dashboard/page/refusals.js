import { byId, make, makeEmpty, makeTable } from './dom.js';
import { formatNumber, formatShare } from './format.js';
import { FAILURES, merge, total } from './samples.js';

/**
 * What each outcome means, for the person on call; `docs/runbook.md` says what to do.
 * @type {Readonly<Record<string, string>>}
 */
const MEANINGS = {
  invalid_request: 'The body has the wrong shape: a bug in the frontend.',
  unauthenticated: 'The end-user token is missing, expired or forged.',
  hirer_forbidden: 'The user does not belong to the hirer, or the hirer does not exist.',
  scope_forbidden: "A scope that the user's role does not allow.",
  csrf_failed: 'A cookie without the header or origin that prove that your own page sent it.',
  hirer_not_connected: 'The upstream refuses your relationship with this hirer.',
  rate_limited: 'The user sent too many requests, or the upstream limits this service.',
  payload_too_large: 'The body was too large.',
  unsupported_media_type: 'The body was not sent as JSON.',
  internal_error: 'A fault in this service: check the log.',
  upstream_error: 'The upstream sent an error or an invalid response, or the connection broke.',
  unavailable: 'No partner token is available, or the upstream is overloaded.',
  upstream_timeout: 'The upstream did not answer in time.',
};

/**
 * Shows why token requests were not served.
 * @param {readonly import('./samples.js').Sample[]} samples
 * @param {(outcome: string) => void} onPick called with an outcome to look up in the audit trail
 */
export function showRefusals(samples, onPick) {
  const outcomes = merge(samples, 'outcomes');
  const asked = total(outcomes);
  const rows = /** @type {[outcome: string, count: number][]} */ (Object.entries(outcomes))
    .filter(([outcome]) => outcome !== 'issued')
    .sort(([, a], [, b]) => b - a);
  byId('outcomes').replaceChildren(
    ...Object.keys({ issued: 0, ok: 0, ...MEANINGS }).map((value) => make('option', { value })),
  );
  const most = rows[0]?.[1];
  if (most === undefined) {
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
      { title: '', cell: ([outcome, count]) => bar(outcome, count / most) },
      { title: 'What it means', kind: 'wrap', cell: ([outcome]) => MEANINGS[outcome] ?? '' },
    ],
    rows,
  );
  byId('refusals').replaceChildren(make('div', { className: 'scroll' }, table));
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
 * @param {string} outcome
 * @param {number} share
 */
function bar(outcome, share) {
  const fill = make('i');
  fill.style.width = `${share * 100}%`;
  return make(
    'span',
    { className: 'share', data: { kind: FAILURES.includes(outcome) ? 'failed' : 'refused' } },
    fill,
  );
}
