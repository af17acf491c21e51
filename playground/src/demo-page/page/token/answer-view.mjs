import { copyButton, h, jsonBlock } from '../../../pages/dom.mjs';
import { explainProblem } from './explanations.mjs';

const SHOWN_OF_TOKEN = 10;

/** @import { Exchange } from './exchange.mjs' */

/**
 * The BFF's answer: a token, or a refusal and its reason.
 * @param {Exchange} exchange
 */
export function drawAnswer(exchange) {
  return exchange.answer.status === 200 ? drawToken(exchange) : drawProblem(exchange);
}

function drawToken({ answer, scopes, hirer }) {
  const { access_token: token, expires_in: seconds, token_type: type } = answer.body;
  return h(
    'section',
    { class: 'card', 'data-tone': 'good' },
    h('h2', {}, 'The answer'),
    h(
      'dl',
      { class: 'answer' },
      h(
        'div',
        {},
        h('dt', {}, h('code', {}, 'access_token')),
        h(
          'dd',
          {},
          h('code', {}, shorten(token)),
          copyButton(() => token, 'Copy the browser token'),
        ),
      ),
      h('div', {}, h('dt', {}, h('code', {}, 'expires_in')), h('dd', {}, `${seconds} seconds`)),
      h('div', {}, h('dt', {}, h('code', {}, 'token_type')), h('dd', {}, h('code', {}, type))),
    ),
    h(
      'p',
      { class: 'remark' },
      `It gives access to ${scopes.join(', ')} of ${hirer.name}, and nothing else.`,
    ),
  );
}

function drawProblem({ answer, user, hirer }) {
  return h(
    'section',
    { class: 'card', 'data-tone': 'bad' },
    h('h2', {}, 'The refusal'),
    h('p', { class: 'explanation' }, explainProblem(answer.body, { user, hirer })),
    jsonBlock(answer.body, 'The answer as it came'),
    h('p', { class: 'remark' }, h('code', {}, answer.headers.get('content-type') ?? ''), ' (RFC 9457)'),
  );
}

function shorten(token) {
  return token.length > 3 * SHOWN_OF_TOKEN ? `${token.slice(0, SHOWN_OF_TOKEN)}…${token.slice(-4)}` : token;
}
