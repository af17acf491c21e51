/** @import { Answer, Call } from '../http.mjs' */
/** @import { Step } from '../sequence/steps.mjs' */

const [BROWSER, BFF, ISSUER, UPSTREAM] = /** @type {const} */ ([0, 1, 2, 3]);
const TOKENS = {
  none: 'without a token',
  partner: 'with the partner token',
  browser: 'with a browser token',
  expired: 'with the refused token',
  unknown: 'with an unknown token',
};

/**
 * A request of the browser and the calls it took, as the steps of a sequence.
 * @param {Answer} answer
 * @param {Call[]} calls
 * @param {string} explanation what the BFF did
 * @returns {Step[]}
 */
export function faultSteps(answer, calls, explanation) {
  const code = answer.body.errors?.[0]?.extensions?.code;
  const wait = answer.headers.get('retry-after');
  const tone = code ? 'bad' : 'good';
  return [
    { kind: 'call', from: BROWSER, to: BFF, title: 'POST /graphql', detail: 'PositionOpenings' },
    ...calls.map(callStep),
    { kind: 'note', at: BFF, tone: code ? 'cache' : 'good', title: 'What the BFF did', lines: [explanation] },
    {
      kind: 'reply',
      from: BFF,
      to: BROWSER,
      title: code ?? 'The data',
      outcome: String(answer.status),
      tone,
      detail: wait === null ? undefined : `Retry-After: ${wait}`,
      durationMs: answer.durationMs,
      requestId: answer.requestId,
    },
  ];
}

/**
 * @param {Call} call
 * @returns {Step}
 */
function callStep({ listener, method, path, status, durationMs, token, requestId }) {
  const isIssuer = listener === 'issuer';
  const isGood = status === 200 && token !== 'expired';
  return {
    kind: 'call',
    from: BFF,
    to: isIssuer ? ISSUER : UPSTREAM,
    title: `${method} ${path}`,
    detail: isIssuer ? 'for a partner token' : TOKENS[token],
    outcome: status === null ? 'no answer' : String(status),
    tone: isGood ? 'good' : 'bad',
    durationMs: status === null ? undefined : durationMs,
    requestId,
  };
}
