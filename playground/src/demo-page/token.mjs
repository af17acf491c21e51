import { byId } from '../pages/control.mjs';
import { button, h, jsonBlock } from '../pages/dom.mjs';
import { showRun, startResult } from './card.mjs';
import { arrow, BFF, BROWSER, callStep, drawSequence, ISSUER, note, UPSTREAM } from './sequence.mjs';
import { drawUse } from './use-token.mjs';
import { codeOf, config, MISSING_HIRER, readCalls, readChoice, send, signIn } from './session.mjs';

/** @import { Answer, Call, Hirer, User } from './session.mjs' */
/** @import { Step } from './sequence.mjs' */
/**
 * @typedef {{user: User, hirer: Hirer, scopes: string[], sessionId: string, signedIn: Answer,
 *   isReused: boolean, answer: Answer, calls: Call[]}} Exchange
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
/** An exchange with empty caches, shown before the first one is run. */
const OUTLINE = [
  arrow(BROWSER, ISSUER, 'Sign in', { detail: 'here at the demo identity provider' }),
  arrow(BROWSER, BFF, 'Ask for a token', { detail: 'as that user' }),
  note(BFF, undefined, 'May this user have it?', 'If not, no call is made.'),
  arrow(BFF, ISSUER, 'Partner token', { detail: 'unless in memory' }),
  arrow(BFF, UPSTREAM, 'Browser token', { detail: 'for this user, hirer and scopes; kept for next time' }),
  arrow(BFF, BROWSER, 'Browser token', { kind: 'reply' }),
  arrow(BROWSER, UPSTREAM, 'Queries', { detail: 'with the browser token, past the BFF' }),
];
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
  const result = startResult(() => [
    h('p.summary', 'These are the steps. Press the button to run them.'),
    h('div.outline', drawSequence(OUTLINE)),
  ]);
  const run = (/** @type {Answer | undefined} */ signedIn = undefined) =>
    showRun(result, async () => {
      const exchange = await runExchange(signedIn);
      return [
        h(
          'div.buttons',
          h('p.summary', summarise(exchange)),
          button('Ask again', () => run(exchange.signedIn)),
        ),
        ...drawExchange(exchange),
      ];
    });
  byId('get-token').addEventListener('click', () => run());
  byId('exchange').append(result);
}

/**
 * Requests a browser token as a page would, in a session of its own, then reads which calls that took.
 * @param {Answer} [before] an earlier sign-in, whose token is used again
 * @returns {Promise<Exchange>}
 */
async function runExchange(before) {
  const choice = readChoice();
  const sessionId = crypto.randomUUID();
  const signedIn = before ?? (await signIn(choice.user, sessionId));
  const body = { hirerId: choice.hirer.hirerId, scope: choice.scopes.join(' ') };
  const answer = await send('/auth/token', { sessionId, token: signedIn.body.access_token, body });
  const calls = (await readCalls(sessionId)).filter(({ route }) => route !== 'sign-in');
  return { ...choice, sessionId, signedIn, isReused: before !== undefined, answer, calls };
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
function stepsOf(/** @type {Exchange} */ { user, signedIn, isReused, answer, calls }) {
  const { status, body, durationMs, requestId } = answer;
  const isGranted = status === 200;
  const detail = 'at the demo identity provider';
  return [
    isReused
      ? note(BROWSER, 'cache', 'Still signed in', 'The page still has the user’s token.')
      : arrow(BROWSER, ISSUER, `Sign in as ${user.name}`, {
          outcome: String(signedIn.status),
          tone: 'good',
          detail,
          durationMs: signedIn.durationMs,
          requestId: signedIn.requestId,
        }),
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

/** @returns {Step} */
function checksStep(/** @type {string} */ code) {
  const failed = Object.keys(CHECKS).indexOf(code);
  const checks = Object.values(CHECKS).map((text, at) => ({
    text,
    state: failed === -1 || at < failed ? 'passed' : at === failed ? 'failed' : 'skipped',
  }));
  return /** @type {Step} */ ({ ...note(BFF, failed === -1 ? 'good' : 'bad', 'The BFF checks'), checks });
}

function drawToken(/** @type {Exchange} */ { answer: { body }, scopes, hirer }) {
  const { access_token: token } = body;
  return h(
    'section.card',
    h('h2', 'The answer'),
    jsonBlock({ ...body, access_token: `${token.slice(0, 10)}…${token.slice(-4)}` }, 'The token'),
    button('Copy the token', async ({ target }) => {
      await navigator.clipboard.writeText(token);
      target.textContent = 'Copied';
    }),
    h('p.facts', `It gives access to ${scopes.join(', ')} of ${hirer.name}, and nothing else.`),
  );
}

function drawRefusal(/** @type {Exchange} */ exchange) {
  const { body, headers } = exchange.answer;
  return h(
    'section.card',
    { 'data-tone': 'bad' },
    h('h2', 'The refusal'),
    h('p.explanation', explainRefusal(exchange)),
    jsonBlock(body, 'The answer as it came'),
    h('p.facts', h('code', headers.get('content-type')), ' (RFC 9457)'),
  );
}

/** Explains a refusal to someone who sees it for the first time. */
function explainRefusal(/** @type {Exchange} */ { answer: { body }, user, hirer }) {
  switch (body.code) {
    case 'unauthenticated':
      return 'The BFF does not accept this end-user token. It may have expired, the playground may have been restarted with new keys, or this service may be configured with your own keys. “Get a token” signs in again.';
    case 'hirer_forbidden':
      return hirer === MISSING_HIRER
        ? 'There is no such hirer. The answer is the same as for a hirer the user does not belong to, so that it does not reveal which hirers exist.'
        : `${user.name} does not belong to ${hirer.name}. The answer is the same as for a hirer that does not exist, so that it does not reveal which hirers exist.`;
    case 'scope_forbidden':
      return 'The user belongs to the hirer, but the user’s role may not request this scope (ALLOWED_SCOPES). A token should allow no more than the page needs.';
    default:
      return body.detail ?? 'The BFF could not serve this request.';
  }
}
