import { button, h, jsonBlock } from '../pages/dom.mjs';
import { showRun } from './card.mjs';
import { addSteps, arrow, BROWSER, UPSTREAM } from './sequence.mjs';
import { codeOf, config, send } from './session.mjs';

/** @import { Exchange } from './token.mjs' */

/** What the page asks of the upstream with its browser token. */
const OPERATIONS = [
  {
    name: 'self',
    title: 'Which hirer is this token for?',
    scope: 'query:organizations',
    query: 'query { self { hirer { id { value } name } } }',
  },
  {
    name: 'location',
    title: 'What is this place called?',
    scope: 'query:ontologies',
    query: 'query ($id: String!) { location(id: $id) { contextualName currencies { code } } }',
    variables: { id: 'seekAnzPublicTest:location:seek:2FqwWaaMV' },
  },
  {
    name: 'positionProfile',
    title: 'What does this job ad say?',
    scope: 'query:position-profiles',
    query: 'query ($id: String!) { positionProfile(id: $id) { positionTitle } }',
    variables: { id: 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV' },
  },
];

/** Lets the browser use its token directly at the upstream, and adds each call to the sequence. */
export function drawUse(/** @type {Exchange} */ { scopes, sessionId, answer }, sequence) {
  const result = h('div.result', { role: 'status', 'aria-live': 'polite' });
  const run = ({ name, scope, query, variables }) =>
    showRun(result, async () => {
      const body = { query, variables };
      const token = answer.body.access_token;
      const used = await send(`${config.upstreamUrl}/graphql`, { sessionId, token, body });
      const code = codeOf(used);
      const step = arrow(BROWSER, UPSTREAM, `POST /graphql · ${name}`, {
        detail: 'with the browser token',
        outcome: code ? `${used.status} ${code}` : String(used.status),
        tone: code ? 'bad' : 'good',
        durationMs: used.durationMs,
        requestId: used.requestId,
      });
      addSteps(sequence, [step]);
      const about = h('p.explanation', { 'data-tone': code && 'bad' }, explainUse(code, scope, scopes));
      return [about, jsonBlock(used.body, `Answer to ${name}`)];
    });
  const about =
    'The browser now calls the upstream directly, without the BFF. The token decides what it can access.';
  return h(
    'section.card',
    h('h2', 'Use it'),
    h('p', about),
    h(
      'ul.rows',
      OPERATIONS.map((operation) => drawOperation(operation, scopes, run)),
    ),
    result,
  );
}

function drawOperation(operation, scopes, run) {
  const { name, title, scope } = operation;
  const isOpen = scopes.includes(scope);
  const has = h(
    'span.outcome',
    { 'data-tone': isOpen ? 'good' : 'bad' },
    isOpen ? 'in the token' : 'not in the token',
  );
  return h(
    'li',
    h('div', h('strong', title), h('p.facts', 'needs ', h('code', scope), ' ', has)),
    button(['Run ', h('code', name)], () => run(operation)),
  );
}

function explainUse(/** @type {string | undefined} */ code, scope, scopes) {
  switch (code) {
    case undefined:
      return 'The upstream accepts the token.';
    case 'FORBIDDEN':
      return scopes.includes(scope)
        ? 'The token has the scope, but the object belongs to another hirer. A browser token is limited to one hirer.'
        : `The token lacks the scope ${scope}, so the upstream refuses. The BFF is not involved: the token itself limits the browser.`;
    case 'UNAUTHENTICATED':
      return 'The upstream does not accept this token, most likely because it has expired. Get another one from the BFF.';
    default:
      return 'The upstream answered with an error of its own.';
  }
}
