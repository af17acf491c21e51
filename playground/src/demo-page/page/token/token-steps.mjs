import { callStep } from '../sequence/steps.mjs';

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
  return [
    signInStep(exchange),
    askStep(exchange),
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
  { kind: 'call', from: BROWSER, to: ISSUER, title: 'Sign in', detail: 'here at the demo identity provider' },
  { kind: 'call', from: BROWSER, to: BFF, title: 'Ask for a token', detail: 'as that user' },
  { kind: 'note', at: BFF, title: 'May this user have it?', lines: ['If not, no call is made.'] },
  { kind: 'call', from: BFF, to: ISSUER, title: 'Partner token', detail: 'unless in memory' },
  {
    kind: 'call',
    from: BFF,
    to: UPSTREAM,
    title: 'Browser token',
    detail: 'for this user, hirer and scopes; kept for next time',
  },
  { kind: 'reply', from: BFF, to: BROWSER, title: 'Browser token' },
  {
    kind: 'call',
    from: BROWSER,
    to: UPSTREAM,
    title: 'Queries',
    detail: 'with the browser token, past the BFF',
  },
];

/**
 * A query that the browser made with its token.
 * @param {{name: string}} operation
 * @param {Answer} answer
 * @returns {Step}
 */
export function useStep(operation, answer) {
  const code = answer.body?.errors?.[0]?.extensions?.code;
  return {
    kind: 'call',
    from: BROWSER,
    to: UPSTREAM,
    title: `POST /graphql · ${operation.name}`,
    detail: 'with the browser token',
    outcome: code ? `${answer.status} ${code}` : String(answer.status),
    tone: code ? 'bad' : 'good',
    durationMs: answer.durationMs,
    requestId: answer.requestId,
  };
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function signInStep({ user, signIn, signedInBefore }) {
  if (signedInBefore) {
    return {
      kind: 'note',
      at: BROWSER,
      tone: 'cache',
      title: 'Still signed in',
      lines: ['The page still has the user’s token.'],
    };
  }
  return {
    kind: 'call',
    from: BROWSER,
    to: ISSUER,
    title: `Sign in as ${user.name}`,
    detail: 'at the demo identity provider',
    outcome: String(signIn.status),
    tone: 'good',
    durationMs: signIn.durationMs,
    requestId: signIn.requestId,
  };
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function askStep({ answer }) {
  return {
    kind: 'call',
    from: BROWSER,
    to: BFF,
    title: 'POST /auth/token',
    detail: 'with the user’s token',
    requestId: answer.requestId,
  };
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function checksStep({ answer }) {
  const failed = CHECKS.findIndex(({ code }) => code === answer.body.code);
  const stateOf = (index) =>
    failed === -1 || index < failed ? 'passed' : index === failed ? 'failed' : 'skipped';
  return {
    kind: 'note',
    at: BFF,
    tone: failed === -1 ? 'good' : 'bad',
    title: 'The BFF checks',
    checks: CHECKS.map(({ text }, index) => ({ text, state: stateOf(index) })),
  };
}

/**
 * @param {Exchange} exchange
 * @returns {Step[]}
 */
function cacheAndCalls({ answer, bffCalls }) {
  const [first] = bffCalls;
  if (!first) return [answer.status === 200 ? cachedToken() : noCall()];
  const partnerTokenKept = first.route === 'auth-token';
  return [...(partnerTokenKept ? [keptPartnerToken()] : []), ...bffCalls.map(callStep)];
}

/** @returns {Step} */
function cachedToken() {
  return {
    kind: 'note',
    at: BFF,
    tone: 'cache',
    title: 'Browser token: from the cache',
    lines: ['No call to issuer or upstream.'],
  };
}

/** @returns {Step} */
function keptPartnerToken() {
  return {
    kind: 'note',
    at: BFF,
    tone: 'cache',
    title: 'Partner token: in memory',
    lines: ['No call to the issuer.'],
  };
}

/** @returns {Step} */
function noCall() {
  return { kind: 'note', at: BFF, tone: 'bad', title: 'Refused', lines: ['No call was made.'] };
}

/**
 * @param {Exchange} exchange
 * @returns {Step}
 */
function replyStep({ answer }) {
  const granted = answer.status === 200;
  return {
    kind: 'reply',
    from: BFF,
    to: BROWSER,
    title: granted ? 'A browser token' : answer.body.title,
    outcome: granted ? '200' : `${answer.status} ${answer.body.code}`,
    tone: granted ? 'good' : 'bad',
    durationMs: answer.durationMs,
    requestId: answer.requestId,
  };
}
