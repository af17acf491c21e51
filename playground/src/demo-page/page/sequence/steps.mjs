/** @import { Answer, Call } from '../http.mjs' */
/** @typedef {0 | 1 | 2 | 3} Party a column of {@link PARTIES} */
/** @typedef {'good' | 'cache' | 'bad'} Tone */
/**
 * A call or a reply from one party to another.
 * @typedef {object} Arrow
 * @property {'call' | 'reply'} kind
 * @property {Party} from
 * @property {Party} to
 * @property {string} title
 * @property {string | undefined} [detail]
 * @property {string} [outcome]
 * @property {Tone} [tone]
 * @property {number | undefined} [durationMs]
 * @property {string | null | undefined} [requestId]
 */
/**
 * An action of one party that takes no call.
 * @typedef {object} Note
 * @property {'note'} kind
 * @property {Party} at
 * @property {string} title
 * @property {Tone | undefined} [tone]
 * @property {string[]} [lines]
 * @property {{text: string, state: 'passed' | 'failed' | 'skipped'}[]} [checks]
 */
/** @typedef {Arrow | Note} Step */

/**
 * The four parties, in the order of their columns.
 * @type {readonly [Column, Column, Column, Column]}
 * @typedef {{name: string, role: string}} Column
 */
export const PARTIES = [
  { name: 'Browser', role: 'the partner’s page' },
  { name: 'BFF', role: 'this service' },
  { name: 'Issuer', role: 'knows the partner' },
  { name: 'Upstream', role: 'owns the data' },
];

/**
 * An action of one party.
 * @param {Party} at
 * @param {Tone | undefined} tone
 * @param {string} title
 * @param {...string} lines
 * @returns {Note}
 */
export function note(at, tone, title, ...lines) {
  return { kind: 'note', at, tone, title, lines };
}

/** What a call carried, by the kind of its token. */
const TOKENS = {
  none: 'without a token',
  partner: 'with the partner token',
  browser: 'with a browser token',
  expired: 'with a refused token',
  unknown: 'with an unknown token',
};

/**
 * A call of the BFF as the playground logged it.
 * @param {Call} call
 * @returns {Step}
 */
export function callStep({
  listener,
  method,
  path,
  status,
  codes = [],
  durationMs,
  token,
  acceptLanguage,
  requestId,
}) {
  const isIssuer = listener === 'issuer';
  const sent = isIssuer
    ? ['for a partner token']
    : [TOKENS[token], /^[\w-]*$/.test(acceptLanguage ?? '') && acceptLanguage];
  return {
    kind: 'call',
    from: 1,
    to: isIssuer ? 2 : 3,
    title: `${method} ${path}`,
    detail: sent.filter(Boolean).join(', '),
    outcome: status === null ? 'no answer' : [status, ...new Set(codes)].join(' '),
    tone: status === 200 && codes.length === 0 ? 'good' : 'bad',
    durationMs: status === null ? undefined : durationMs,
    requestId,
  };
}

/**
 * A GraphQL request of the browser, the calls that it took by the playground's log, and the answer.
 * @param {{answer: Answer, calls: Call[], detail?: string, explanation?: string}} exchange
 * @returns {Step[]}
 */
export function graphqlSteps({ answer, calls, detail, explanation }) {
  const { status, headers, body, durationMs, requestId } = answer;
  const code = body.errors?.[0]?.extensions?.code;
  const wait = headers.get('retry-after');
  const isMade = calls.length > 0;
  return [
    { kind: 'call', from: 0, to: 1, title: 'POST /graphql', detail },
    ...calls.map(callStep),
    ...(isMade ? [] : [note(1, 'cache', 'No call to issuer or upstream')]),
    ...(explanation ? [note(1, code ? 'cache' : 'good', 'What the BFF did', explanation)] : []),
    {
      kind: 'reply',
      from: 1,
      to: 0,
      title: code ?? 'The data',
      outcome: String(status),
      tone: code ? 'bad' : 'good',
      detail: wait === null ? undefined : `Retry-After: ${wait}`,
      durationMs,
      requestId,
    },
  ];
}
