import { h, jsonBlock } from '../../../pages/dom.mjs';
import { explainGraphqlCode } from './explanations.mjs';
import { send } from '../http.mjs';
import { OPERATIONS } from './operations.mjs';

/** @import { Exchange } from './exchange.mjs' */
/** @import { Config } from '../sign-in.mjs' */
/** @import { Answer } from '../http.mjs' */

/**
 * Lets the browser use its token directly at the upstream.
 * @param {Config} config
 * @param {Exchange} exchange
 * @param {(operation: {name: string}, answer: Answer) => void} onUse called after each operation
 */
export function drawUse(config, exchange, onUse) {
  const result = h('div', { class: 'use-result', role: 'status', 'aria-live': 'polite' });
  const run = async (operation) => {
    const { name, query, variables } = operation;
    const answer = await send(`${config.upstreamUrl}/graphql`, {
      sessionId: exchange.sessionId,
      token: exchange.answer.body.access_token,
      body: { query, ...(variables && { variables }) },
    }).catch(() => undefined);
    if (answer === undefined) return result.replaceChildren(h('p', {}, 'The upstream did not answer.'));
    onUse(operation, answer);
    const code = answer.body.errors?.[0]?.extensions?.code;
    result.dataset.tone = answer.body.errors ? 'bad' : 'good';
    result.replaceChildren(
      h(
        'p',
        { class: 'explanation' },
        answer.body.errors
          ? explainGraphqlCode(code, operation, exchange.scopes)
          : 'The upstream accepts the token.',
      ),
      jsonBlock(answer.body, `Answer to ${name}`),
    );
  };
  return h(
    'section',
    { class: 'card use' },
    h('h2', {}, 'Use it'),
    h(
      'p',
      {},
      'The browser now calls the upstream directly, without the BFF. The token decides what it can access.',
    ),
    h(
      'ul',
      { class: 'operations' },
      OPERATIONS.map((operation) => drawOperation(operation, exchange.scopes, run)),
    ),
    result,
  );
}

function drawOperation(operation, scopes, run) {
  const open = scopes.includes(operation.scope);
  return h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', { class: 'operation-title' }, operation.title),
      h(
        'p',
        { class: 'facts' },
        'needs ',
        h('code', {}, operation.scope),
        h('span', { class: 'has', 'data-open': String(open) }, open ? 'in the token' : 'not in the token'),
      ),
    ),
    h(
      'button',
      { type: 'button', class: 'secondary', onclick: () => run(operation) },
      'Run ',
      h('code', {}, operation.name),
    ),
  );
}
