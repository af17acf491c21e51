import { h, shortId } from '../pages/dom.mjs';
import { codeOf } from './session.mjs';

/** @import { Call } from '../http/call-log.js' */
/** @import { Answer } from './session.mjs' */

/** The columns of a sequence. An event's has the partner's back end in place of the issuer. */
export const [BROWSER, BFF, ISSUER, UPSTREAM] = /** @type {const} */ ([0, 1, 2, 3]);
/** @type {[name: string, role: string][]} */
const PARTIES = [
  ['Browser', 'the partner’s page'],
  ['BFF', 'this service'],
  ['Issuer', 'knows the partner'],
  ['Upstream', 'owns the data'],
];

/**
 * A call or a reply from one party to another or, with `lines`, an action of one party that takes no call.
 * @typedef {object} Step
 * @property {'call' | 'reply' | 'note'} kind
 * @property {number} from
 * @property {number} [to]
 * @property {string} title
 * @property {'good' | 'cache' | 'bad' | undefined} [tone]
 * @property {string} [outcome]
 * @property {number | undefined} [durationMs]
 * @property {string | undefined} [detail]
 * @property {string | null} [requestId]
 * @property {string[]} [lines]
 */

/**
 * @param {number} from
 * @param {number} to
 * @param {string} title
 * @param {Partial<Step>} [facts]
 * @returns {Step}
 */
export const arrow = (from, to, title, facts) => ({ kind: 'call', from, to, title, ...facts });

/**
 * @param {number} from
 * @param {Step['tone']} tone
 * @param {string} title
 * @param {...string} lines
 * @returns {Step}
 */
export const note = (from, tone, title, ...lines) => ({ kind: 'note', from, tone, title, lines });

/**
 * Draws steps between the four parties: lifelines and arrows, and on a narrow screen a list.
 * @param {Step[]} steps
 */
export function drawSequence(steps, parties = PARTIES) {
  const names = parties.map(([name, role]) => h('li', h('strong', name), h('span', role)));
  const list = h('ol.steps', { 'aria-label': 'Steps of the exchange' });
  const sequence = h('div.sequence', h('ul.parties', { 'aria-label': 'Parties' }, names), list);
  addSteps(sequence, steps, parties);
  return sequence;
}

/** Adds steps to the end of a sequence. */
export function addSteps(
  /** @type {HTMLElement} */ sequence,
  /** @type {Step[]} */ steps,
  parties = PARTIES,
) {
  sequence.querySelector('.steps')?.append(...steps.map((step) => drawStep(step, parties)));
}

function drawStep(/** @type {Step} */ step, parties) {
  const { kind, from, to = from, tone, title, lines = [] } = step;
  const way = [from, ...(to === from ? [] : [to])].map((party) => parties[party][0]).join(' → ');
  const message = h(
    'div.message',
    h('p.unseen', way),
    h('p.title', title),
    kind !== 'note' && [h('div.line'), drawFacts(step)],
    lines.map((line) => h('p.facts', line)),
  );
  message.style.gridColumn = columnsOf(from, to).join(' / ');
  return h(
    kind === 'note' ? 'li.step.note' : `li.step.arrow.${kind}`,
    { 'data-heading': from < to ? 'right' : 'left', 'data-tone': tone },
    message,
  );
}

/** There are eight half columns: the lifeline of a party is between two of them, an action of it around the lifeline. */
function columnsOf(from, to) {
  const [left, right] = [2 * Math.min(from, to) + 2, 2 * Math.max(from, to) + 2];
  if (from !== to) return [left, right];
  const half = from === BROWSER || from === UPSTREAM ? 1 : 2;
  return [left - half, right + half];
}

function drawFacts(/** @type {Step} */ { outcome, durationMs, detail, requestId }) {
  return h(
    'p.facts',
    outcome && h('span.outcome', outcome),
    durationMs !== undefined && h('span', `${durationMs} ms`),
    detail && h('span', detail),
    requestId && h('code.request-id', { title: `X-Request-Id: ${requestId}` }, shortId(requestId)),
  );
}

/** The token of a call, by kind. */
const TOKENS = {
  none: 'without a token',
  partner: 'with the partner token',
  browser: 'with a browser token',
  expired: 'with a refused token',
  unknown: 'with an unknown token',
};

/** A call of the BFF as the playground logged it. */
export function callStep(/** @type {Call} */ call) {
  const { status, codes = [] } = call;
  const isIssuer = call.listener === 'issuer';
  return arrow(BFF, isIssuer ? ISSUER : UPSTREAM, `${call.method} ${call.path}`, {
    detail: isIssuer ? 'for a partner token' : TOKENS[call.token],
    outcome: status === null ? 'no answer' : [status, ...new Set(codes)].join(' '),
    tone: status === 200 && codes.length === 0 ? 'good' : 'bad',
    durationMs: status === null ? undefined : call.durationMs,
    requestId: call.requestId,
  });
}

/**
 * A GraphQL request of the browser, the calls that it took by the playground's log, and the answer.
 * @param {{answer: Answer, calls: Call[], detail?: string | undefined, explanation?: string}} exchange
 */
export function drawGraphql({ answer, calls, detail, explanation }) {
  const { status, headers, durationMs, requestId } = answer;
  const code = codeOf(answer);
  const wait = headers.get('retry-after');
  return drawSequence([
    arrow(BROWSER, BFF, 'POST /graphql', { detail }),
    ...calls.map(callStep),
    ...(calls.length > 0 ? [] : [note(BFF, 'cache', 'No call to issuer or upstream')]),
    ...(explanation ? [note(BFF, code ? 'cache' : 'good', 'What the BFF did', explanation)] : []),
    arrow(BFF, BROWSER, code ?? 'The data', {
      kind: 'reply',
      outcome: String(status),
      tone: code ? 'bad' : 'good',
      detail: wait === null ? undefined : `Retry-After: ${wait}`,
      durationMs,
      requestId,
    }),
  ]);
}
