import { execute } from '/client/client.js';
import { byId, call } from '../pages/control.mjs';
import { jsonBlock } from '../pages/dom.mjs';
import { clearRun, drawCard, fold } from './card.mjs';
import { drawGraphql } from './sequence.mjs';
import { askBff } from './session.mjs';

/** @import { Call } from '../http/call-log.js' */
/**
 * Something that goes wrong behind the BFF. It ends without being cleared.
 * @typedef {object} Scenario
 * @property {[control: 'faults' | 'tokens/expire', body: object][]} plan what the playground is told
 * @property {string} title
 * @property {string} about
 * @property {string} [endures] what the BFF did when the page got its data
 * @property {Record<string, string>} [refusals] what the BFF did when it answered with this code
 */

/** Longer than a service waits, however often it asks. */
const ISSUER_CALLS = 5;
const TRIES_MAX = 10;
/** The request that the page sends during a failure. */
const OPERATION = { documentId: 'PositionOpenings', variables: { first: 3 } };

/** @type {Scenario[]} */
const SCENARIOS = [
  {
    plan: [['tokens/expire', { kind: 'partner' }]],
    title: 'The partner token is refused',
    about: 'The upstream no longer accepts the partner token, although the issuer says it is still valid.',
    endures:
      'The BFF dropped the token, got a fresh one from the issuer, and sent the operation once more. The page notices nothing.',
  },
  {
    plan: [
      ['tokens/expire', { kind: 'partner' }],
      ['faults', { route: 'oauth-token', status: 503, times: ISSUER_CALLS }],
    ],
    title: 'The issuer is down',
    about:
      'The partner token is refused, and the issuer answers 503. While a partner token is in memory, an outage of the issuer has no effect.',
    refusals: {
      UNAVAILABLE:
        'Without a partner token, the BFF cannot call the upstream. It says so immediately, and when to try again. Until then it backs off.',
    },
  },
  {
    plan: [['faults', { route: 'graphql', status: 429, headers: { 'Retry-After': '7' } }]],
    title: 'The upstream rate-limits us',
    about: 'The upstream answers 429 and asks for a pause of seven seconds.',
    refusals: {
      RATE_LIMITED:
        'The BFF does not retry, which would make it worse. It passes the pause on as Retry-After.',
    },
  },
  {
    plan: [['faults', { route: 'graphql', hang: true }]],
    title: 'The upstream hangs',
    about: 'The upstream takes the request and never answers.',
    refusals: {
      UPSTREAM_TIMEOUT:
        'At its deadline (UPSTREAM_TIMEOUT_MS) the BFF gave up and closed the connection. A mutation would not be repeated: it may have run.',
    },
  },
  {
    plan: [['faults', { route: 'graphql', reset: true }]],
    title: 'The connection breaks',
    about: 'The upstream closes the connection before it answers.',
    endures: 'The BFF sent the query once more on a new connection.',
    refusals: {
      UPSTREAM_ERROR: 'The BFF says that the upstream is at fault, without any text of the upstream.',
    },
  },
  {
    plan: [['faults', { route: 'graphql', body: '<html>Bad gateway</html>', contentType: 'text/html' }]],
    title: 'The upstream returns garbage',
    about: 'A proxy in front of the upstream answers with a page of HTML and status 200.',
    refusals: {
      UPSTREAM_ERROR:
        'The body isn’t a GraphQL response. The BFF turned it into an error that a client can read, never into empty data.',
    },
  },
];

/** A planned failure meets whichever call comes next: each run waits for the one before. */
let running = Promise.resolve(/** @type {Node[]} */ ([]));

/** Fills the fourth step: a card for each failure behind the BFF, of which one at a time shows what came of it. */
export function startFailures() {
  const place = byId('scenarios');
  const cards = SCENARIOS.map((scenario) => {
    const card = drawCard(scenario, () => {
      for (const other of place.querySelectorAll('.result')) if (!card.contains(other)) clearRun(other);
      const run = () => runScenario(scenario);
      running = running.then(run, run);
      return running;
    });
    return card;
  });
  place.append(...cards);
}

/** Plans the fault once nothing of an earlier one is left, asks for data, and clears the fault. */
async function runScenario(/** @type {Scenario} */ scenario) {
  await recover();
  for (const [control, body] of scenario.plan) await call(control, body);
  const { answer, calls, result } = await ask().finally(() => call('faults', undefined, 'DELETE'));
  const explanation = explainOutcome(scenario, result.error?.code, calls);
  return [
    drawGraphql({ answer, calls, detail: OPERATION.documentId, explanation }),
    fold('The answer', jsonBlock(answer.body, `Answer: ${scenario.title}`)),
  ];
}

const ask = () => askBff((bff) => execute(bff, OPERATION));

/** Asks until data come: after a failure the BFF spares issuer and upstream for a while. */
async function recover() {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const { error } = (await ask()).result;
    if (error === undefined || error.code === 'FORBIDDEN') return;
    await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? 1) * 1000));
  }
}

const NO_FRESH_TOKEN =
  'The BFF asked the issuer for a fresh token and got none, so it passed the upstream’s refusal on. It backs off briefly, then renews the token as soon as the issuer answers. The page’s user need not sign in again: partner-bff-client tells this refusal from the service’s own.';
const NOT_RENEWED_YET =
  'The BFF had asked for a token moments before, so it passed the refusal on without asking again: an upstream that refuses every token does not turn into a flood of requests. Run it again in five seconds.';

/**
 * Explains the BFF's handling of a failure to someone who sees it for the first time.
 * @param {Scenario} scenario
 * @param {string | undefined} code of the answer
 * @param {Call[]} calls
 */
function explainOutcome({ endures, refusals = {} }, code, calls) {
  if (code === undefined) return endures ?? 'The page got its data, because the fault hit another call.';
  if (code === 'UNAUTHENTICATED') {
    return calls.some(({ listener }) => listener === 'issuer') ? NO_FRESH_TOKEN : NOT_RENEWED_YET;
  }
  if (refusals[code] !== undefined) return refusals[code];
  if (code === 'UNAVAILABLE' && calls.length === 0) {
    return 'The BFF made no call: after failures it backs off briefly, and says when to try again.';
  }
  if (code === 'FORBIDDEN') {
    return 'The user does not belong to this hirer, so the failing call was never made.';
  }
  return 'The BFF answered with an error of its own; the request id finds it in the log.';
}
