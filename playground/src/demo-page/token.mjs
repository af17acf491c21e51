import { execute } from '/client/client.js';
import { byId } from '../pages/control.mjs';
import { button, h, jsonBlock } from '../pages/dom.mjs';
import { showRun, startResult } from './card.mjs';
import {
  addSteps,
  arrow,
  BFF,
  BROWSER,
  callStep,
  drawSequence,
  ISSUER,
  note,
  UPSTREAM,
} from './sequence.mjs';
import { codeOf, config, MISSING_HIRER, openSession, readCalls, readChoice } from './session.mjs';

/** @import { Call } from '../http/call-log.js' */
/** @import { Answer, Hirer, Session, User } from './session.mjs' */
/** @import { Step } from './sequence.mjs' */
/**
 * @typedef {{user: User, hirer: Hirer, scopes: string[], session: Session, signedIn: Answer | undefined,
 *   answer: Answer, calls: Call[]}} Exchange `signedIn` is undefined if the page had the user's token already
 */

const SCOPE_NOTES = {
  'query:organizations': 'the hirer itself',
  'query:ontologies': 'locations, job categories',
  'query:ad-products': 'advertisement products',
  'query:position-profiles': 'job ads; not allowed by default',
};
/** The BFF's checks before it consults its cache, in this order, by the code of each refusal. */
const CHECKS = {
  unauthenticated: 'Is the user’s token genuine and not expired?',
  invalid_request: 'Is the request valid?',
  hirer_forbidden: 'Does the user belong to the hirer?',
  scope_forbidden: 'May the user’s role request the scopes?',
  rate_limited: 'Is the user below the rate limit?',
};
const LEGEND =
  'Calls of the BFF are from the emulator’s log, those of the browser are measured by this page. What the BFF checked follows from its answer. The short codes are request ids.';

/** Fills the first step: gets a browser token and shows each call that it takes. */
export function startToken() {
  byId('scopes').append(
    ...config.scopes.map((scope, at) =>
      h(
        'label.check',
        h('input', { type: 'checkbox', name: 'scope', value: scope, form: 'choice', checked: at === 0 }),
        h('span', h('code', scope), ' ', h('small', SCOPE_NOTES[scope])),
      ),
    ),
  );
  const result = startResult();
  const run = (/** @type {string | undefined} */ userToken = undefined) =>
    showRun(result, async () => {
      const exchange = await runExchange(userToken);
      const again = async () => run(await exchange.session.bff.options.getUserToken?.({ refresh: false }));
      return [
        h('div.buttons', h('p.summary', summarise(exchange)), button('Ask again', again)),
        ...drawExchange(exchange),
      ];
    });
  byId('get-token').addEventListener('click', () => run());
  byId('exchange').append(result);
}

/**
 * Requests a browser token as a page does that has just been loaded, then reads which calls that took.
 * @param {string} [userToken] of an earlier sign-in
 * @returns {Promise<Exchange>}
 */
async function runExchange(userToken) {
  const choice = readChoice();
  const session = openSession(userToken);
  const { bff, answers } = session;
  const failure = await bff.token({ scope: choice.scopes.join(' ') }).then(() => undefined, Object);
  const find = (path) => answers.findLast((answer) => answer.path === path);
  const answer = find('/auth/token');
  if (answer === undefined) throw failure;
  return { ...choice, session, signedIn: find('/demo/sign-in'), answer, calls: await readCalls(bff) };
}

/** The outcome in a sentence or two. */
function summarise(/** @type {Exchange} */ { user, hirer, answer, calls }) {
  const count = calls.length === 1 ? 'one call' : `${calls.length} calls`;
  const took = `${answer.durationMs} ms`;
  if (answer.status !== 200) {
    const made = calls.length === 0 ? 'before any call was made' : `after ${count}`;
    return [h('strong', `Refused ${made}.`), ` ${answer.status} ${codeOf(answer) ?? ''}, in ${took}.`];
  }
  return calls.length > 0
    ? [h('strong', `${user.name} got a token for ${hirer.name}.`), ` The BFF made ${count}, in ${took}.`]
    : [
        h('strong', 'The same token as before, from the cache.'),
        ` Answered in ${took}, with no upstream call.`,
      ];
}

function drawExchange(/** @type {Exchange} */ exchange) {
  const sequence = drawSequence(stepsOf(exchange));
  const isGranted = exchange.answer.status === 200;
  const answer = isGranted ? [drawToken(exchange), drawUse(exchange, sequence)] : [drawRefusal(exchange)];
  return [sequence, h('p.facts', LEGEND), ...answer];
}

/** @returns {Step[]} */
function stepsOf(/** @type {Exchange} */ { user, signedIn, answer, calls }) {
  const { status, body, durationMs, requestId } = answer;
  const isGranted = status === 200;
  return [
    signedIn
      ? arrow(BROWSER, ISSUER, `Sign in as ${user.name}`, {
          outcome: String(signedIn.status),
          tone: 'good',
          detail: 'at the demo identity provider',
          durationMs: signedIn.durationMs,
          requestId: signedIn.requestId,
        })
      : note(BROWSER, 'cache', 'Still signed in', 'The page still has the user’s token.'),
    arrow(BROWSER, BFF, 'POST /auth/token', { detail: 'with the user’s token', requestId }),
    checksStep(body.code),
    ...(calls[0]?.route === 'auth-token'
      ? [note(BFF, 'cache', 'Partner token: in memory', 'No call to the issuer.')]
      : []),
    ...calls.map(callStep),
    ...(calls.length > 0
      ? []
      : isGranted
        ? [note(BFF, 'cache', 'Browser token: from the cache', 'No call to issuer or upstream.')]
        : [note(BFF, 'bad', 'Refused', 'No call was made.')]),
    arrow(BFF, BROWSER, isGranted ? 'A browser token' : body.title, {
      kind: 'reply',
      tone: isGranted ? 'good' : 'bad',
      outcome: isGranted ? '200' : `${status} ${body.code}`,
      durationMs,
      requestId,
    }),
  ];
}

function checksStep(/** @type {string} */ code) {
  const failed = Object.keys(CHECKS).indexOf(code);
  const lines = Object.values(CHECKS).map((text, at) => `${at === failed ? '✕' : '✓'} ${text}`);
  const done = failed === -1 ? lines : lines.slice(0, failed + 1);
  return note(BFF, failed === -1 ? 'good' : 'bad', 'The BFF checks', ...done);
}

function drawToken(/** @type {Exchange} */ { answer: { body }, scopes, hirer }) {
  const { access_token: token } = body;
  return h(
    'section.card',
    h('h2', 'The answer'),
    jsonBlock({ ...body, access_token: `${token.slice(0, 10)}…${token.slice(-4)}` }, 'The token'),
    h('p.facts', `It gives access to ${scopes.join(', ')} of ${hirer.name}, and nothing else.`),
  );
}

function drawRefusal(/** @type {Exchange} */ { answer: { body, headers }, user, hirer }) {
  const reasons = {
    hirer_forbidden: `${hirer === MISSING_HIRER ? 'There is no such hirer' : `${user.name} does not belong to ${hirer.name}`}. A hirer that does not exist gets the same answer as another user’s, so that nobody learns which hirers exist.`,
    scope_forbidden:
      'The user belongs to the hirer, but the user’s role may not request this scope (ALLOWED_SCOPES). A token should allow no more than the page needs.',
  };
  return h(
    'section.card',
    { 'data-tone': 'bad' },
    h('h2', 'The refusal'),
    h('p.explanation', reasons[body.code] ?? body.detail),
    jsonBlock(body, 'The answer as it came'),
    h('p.facts', h('code', headers.get('content-type')), ' (RFC 9457)'),
  );
}

/** What the page asks the upstream with its browser token. */
const QUERY = 'query { self { hirer { id { value } name } } }';
const NEEDED = 'query:organizations';

/** Lets the browser use its token directly at the upstream, and adds each call to the sequence. */
function drawUse(/** @type {Exchange} */ { scopes, session: { bff, answers } }, sequence) {
  const result = h('div.result', { role: 'status', 'aria-live': 'polite' });
  const run = () =>
    showRun(result, async () => {
      await execute(bff, { query: QUERY }, { scope: scopes.join(' ') });
      const answer = /** @type {Answer} */ (answers.at(-1));
      const { status, durationMs, requestId, body } = answer;
      const code = codeOf(answer);
      const facts = { detail: 'with the browser token', durationMs, requestId };
      const outcome = code ? `${status} ${code}` : String(status);
      const tone = code ? 'bad' : 'good';
      addSteps(sequence, [arrow(BROWSER, UPSTREAM, 'POST /graphql · self', { ...facts, outcome, tone })]);
      return [
        h('p.explanation', { 'data-tone': code && 'bad' }, explainUse(code)),
        jsonBlock(body, 'Answer to self'),
      ];
    });
  const about =
    'The browser now asks the upstream directly, without the BFF, which hirer the token is for. The token decides what it can access.';
  return h(
    'section.card',
    h('h2', 'Use it'),
    h('p', about),
    button(['Run ', h('code', 'self')], run),
    result,
  );
}

function explainUse(/** @type {string | undefined} */ code) {
  if (code === undefined) return 'The upstream accepts the token.';
  return code === 'FORBIDDEN'
    ? `The token lacks the scope ${NEEDED}, so the upstream refuses. The BFF is not involved: the token itself limits the browser.`
    : 'The upstream answered with an error of its own.';
}
