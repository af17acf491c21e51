import { callStep, note } from '../sequence/steps.mjs';

/** @import { Exchange } from './exchange.mjs' */
/** @import { Answer } from '../http.mjs' */
/** @import { Step } from '../sequence/steps.mjs' */

const [BROWSER, BFF, ISSUER, UPSTREAM] = /** @type {const} */ ([0, 1, 2, 3]);

/** The BFF's checks before it consults its cache, in this order, each with the code of its refusal. */
const CHECKS = [
  { text: 'Is the user’s token genuine and not expired?', code: 'unauthenticated' },
  { text: 'Is the request valid?', code: 'invalid_request' },
  { text: 'Does the user belong to the hirer?', code: 'hirer_forbidden' },
  { text: 'May the user’s role request the scopes?', code: 'scope_forbidden' },
  { text: 'Is the user below the rate limit?', code: 'rate_limited' },
];

/**
 * An exchange as the steps of a sequence.
 * @param {Exchange} exchange
 * @returns {Step[]}
 */
export function stepsOf(exchange) {
  const { requestId } = exchange.answer;
  return [
    signInStep(exchange),
    call(BROWSER, BFF, 'POST /auth/token', { detail: 'with the user’s token', requestId }),
    checksStep(exchange),
    ...cacheAndCalls(exchange),
    replyStep(exchange),
  ];
}

/**
 * An exchange with empty caches, shown before the first one is run.
 * @type {Step[]}
 */
export const OUTLINE = [
  call(BROWSER, ISSUER, 'Sign in', { detail: 'here at the demo identity provider' }),
  call(BROWSER, BFF, 'Ask for a token', { detail: 'as that user' }),
  note(BFF, undefined, 'May this user have it?', 'If not, no call is made.'),
  call(BFF, ISSUER, 'Partner token', { detail: 'unless in memory' }),
  call(BFF, UPSTREAM, 'Browser token', { detail: 'for this user, hirer and scopes; kept for next time' }),
  { kind: 'reply', from: BFF, to: BROWSER, title: 'Browser token' },
  call(BROWSER, UPSTREAM, 'Queries', { detail: 'with the browser token, past the BFF' }),
];

/**
 * A query that the browser made with its token.
 * @param {{name: string}} operation
 * @param {Answer} answer
 * @returns {Step}
 */
export function useStep(operation, { body, status, durationMs, requestId }) {
  const code = body?.errors?.[0]?.extensions?.code;
  return call(BROWSER, UPSTREAM, `POST /graphql · ${operation.name}`, {
    detail: 'with the browser token',
    outcome: code ? `${status} ${code}` : String(status),
    tone: code ? 'bad' : 'good',
    durationMs,
    requestId,
  });
}

/**
 * @param {0 | 1} from
 * @param {1 | 2 | 3} to
 * @param {string} title
 * @param {object} [facts]
 * @returns {Step}
 */
function call(from, to, title, facts) {
  return { kind: 'call', from, to, title, ...facts };
}

/** @param {Exchange} exchange */
function signInStep({ user, signIn: { status, durationMs, requestId }, signedInBefore }) {
  if (signedInBefore) {
    return note(BROWSER, 'cache', 'Still signed in', 'The page still has the user’s token.');
  }
  const facts = { outcome: String(status), tone: 'good', durationMs, requestId };
  return call(BROWSER, ISSUER, `Sign in as ${user.name}`, {
    detail: 'at the demo identity provider',
    ...facts,
  });
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function checksStep({ answer }) {
  const failed = CHECKS.findIndex(({ code }) => code === answer.body.code);
  /** @returns {'passed' | 'failed' | 'skipped'} */
  const stateOf = (index) =>
    failed === -1 || index < failed ? 'passed' : index === failed ? 'failed' : 'skipped';
  const checks = CHECKS.map(({ text }, index) => ({ text, state: stateOf(index) }));
  return { ...note(BFF, failed === -1 ? 'good' : 'bad', 'The BFF checks'), checks };
}

/**
 * @param {Exchange} exchange
 * @returns {Step[]}
 */
function cacheAndCalls({ answer, bffCalls }) {
  const [first] = bffCalls;
  if (first) {
    const kept = note(BFF, 'cache', 'Partner token: in memory', 'No call to the issuer.');
    return [...(first.route === 'auth-token' ? [kept] : []), ...bffCalls.map(callStep)];
  }
  return answer.status === 200
    ? [note(BFF, 'cache', 'Browser token: from the cache', 'No call to issuer or upstream.')]
    : [note(BFF, 'bad', 'Refused', 'No call was made.')];
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function replyStep({ answer: { status, body, durationMs, requestId } }) {
  const granted = status === 200;
  const outcome = granted ? '200' : `${status} ${body.code}`;
  const title = granted ? 'A browser token' : body.title;
  const facts = { title, outcome, durationMs, requestId };
  return { kind: 'reply', from: BFF, to: BROWSER, tone: granted ? 'good' : 'bad', ...facts };
}
