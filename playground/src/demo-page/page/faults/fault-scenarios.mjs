/** @import { Answer, Call } from '../http.mjs' */

/** @typedef {[control: 'faults' | 'tokens/expire', body: object]} Plan */
/**
 * Something that goes wrong behind the BFF. It ends without being cleared.
 * @typedef {object} Scenario
 * @property {string} id
 * @property {Plan[]} plan what the playground is told
 * @property {string} title
 * @property {string} about
 * @property {string} [endures] what the BFF did when the page got its data
 * @property {Record<string, string>} refusals what the BFF did when it answered with this code
 */

/** Longer than a service waits, however often it asks. */
const ISSUER_CALLS = 5;
const UPSTREAM_WAIT_SECONDS = '7';

/**
 * The failures that the tab offers.
 * @type {Scenario[]}
 */
export const SCENARIOS = [
  {
    id: 'expired-token',
    plan: [['tokens/expire', { kind: 'partner' }]],
    title: 'The partner token is refused',
    about: 'The upstream no longer accepts the partner token, although the issuer says it is still valid.',
    endures:
      'The BFF dropped the token, got a fresh one from the issuer, and sent the operation once more. The page notices nothing.',
    refusals: {},
  },
  {
    id: 'issuer-down',
    plan: [
      ['tokens/expire', { kind: 'partner' }],
      ['faults', { route: 'oauth-token', status: 503, times: ISSUER_CALLS }],
    ],
    title: 'The issuer is down',
    about:
      'The partner token is refused, and the issuer answers 503. As long as a partner token is in memory, an outage of the issuer is not noticed at all.',
    refusals: {
      UNAVAILABLE:
        'Without a partner token there is nothing to call the upstream with. The BFF says so at once, and when to try again; until then it backs off.',
    },
  },
  {
    id: 'rate-limit',
    plan: [['faults', { route: 'graphql', status: 429, headers: { 'Retry-After': UPSTREAM_WAIT_SECONDS } }]],
    title: 'The upstream rate-limits us',
    about: 'The upstream answers 429 and asks for a pause of seven seconds.',
    refusals: {
      RATE_LIMITED:
        'The BFF does not retry, which would make it worse. It passes the pause on as Retry-After.',
    },
  },
  {
    id: 'upstream-hangs',
    plan: [['faults', { route: 'graphql', hang: true }]],
    title: 'The upstream hangs',
    about: 'The upstream takes the request and never answers.',
    refusals: {
      UPSTREAM_TIMEOUT:
        'At its deadline (UPSTREAM_TIMEOUT_MS) the BFF gave up and closed the connection. A mutation would not be repeated: it may have run.',
    },
  },
  {
    id: 'broken-connection',
    plan: [['faults', { route: 'graphql', reset: true }]],
    title: 'The connection breaks',
    about: 'The upstream closes the connection before it answers.',
    endures: 'The BFF sent the query once more on a new connection.',
    refusals: {
      UPSTREAM_ERROR: 'The BFF says that the upstream is at fault, without any text of the upstream.',
    },
  },
  {
    id: 'nonsense',
    plan: [['faults', { route: 'graphql', body: '<html>Bad gateway</html>', contentType: 'text/html' }]],
    title: 'The upstream returns garbage',
    about: 'A proxy in front of the upstream answers with a page of HTML and status 200.',
    refusals: {
      UPSTREAM_ERROR:
        'The body isn’t a GraphQL response. The BFF turned it into an error that a client can read, never into empty data.',
    },
  },
];

const NO_FRESH_TOKEN =
  'The BFF asked the issuer for a fresh token and got none, so it passed the upstream’s refusal on. It backs off briefly, then renews the token as soon as the issuer answers. The page’s user need not sign in again: partner-bff-client tells this refusal from the service’s own.';
const NOT_RENEWED_YET =
  'The BFF had asked for a token moments before, so it passed the refusal on without asking again: an upstream that refuses every token does not turn into a flood of requests. Run it again in five seconds.';

/**
 * Explains the BFF's handling of a failure to someone who sees it for the first time.
 * @param {Scenario} scenario
 * @param {Answer} answer
 * @param {Call[]} calls
 */
export function explainOutcome({ endures, refusals }, { body }, calls) {
  const code = body.errors?.[0]?.extensions?.code;
  if (code === undefined) return endures ?? 'The page got its data: the fault met another call.';
  if (code === 'UNAUTHENTICATED') {
    return calls.some(({ listener }) => listener === 'issuer') ? NO_FRESH_TOKEN : NOT_RENEWED_YET;
  }
  const about = refusals[code];
  if (about !== undefined) return about;
  if (code === 'UNAVAILABLE' && calls.length === 0) {
    return 'The BFF made no call: after failures it backs off briefly, and says when to try again.';
  }
  if (code === 'FORBIDDEN') return 'The user does not belong to this hirer, so the fault was never met.';
  return 'The BFF answered with an error of its own; the request id finds it in the log.';
}
