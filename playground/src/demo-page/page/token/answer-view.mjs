import { copyButton, h, jsonBlock } from '../dom.mjs';
import { explainProblem } from './explanations.mjs';
import { readClaims } from './jwt.mjs';

const SHOWN_OF_TOKEN = 10;

/** @import { Exchange } from './exchange.mjs' */

/**
 * The claims that the BFF learns about the user.
 * @param {Exchange} exchange
 */
export function drawClaims({ signIn }) {
  return h(
    'section',
    { class: 'card' },
    h('h2', {}, 'What the BFF knows about the user'),
    h(
      'dl',
      { class: 'claims' },
      readClaims(signIn.body.access_token).map(({ name, meaning, value }) =>
        h('div', {}, h('dt', {}, h('code', {}, name), h('small', {}, meaning)), h('dd', {}, value)),
      ),
    ),
    h(
      'p',
      { class: 'remark' },
      'Claims of the user’s token, read after its signature is verified. The upstream sees none of them: it gets a pseudonym, always the same one for this user.',
    ),
  );
}

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
      h('div', {}, h('dt', {}, h('code', {}, 'expires_in')), h('dd', {}, countDown(seconds))),
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

/** A countdown with a bar. It stops when it is removed from the page. */
function countDown(seconds) {
  const endsAtMs = performance.now() + seconds * 1000;
  const text = h('span', { class: 'seconds' });
  const bar = h('progress', { max: seconds, 'aria-label': 'Remaining lifetime of the token' });
  const show = () => {
    const left = Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1000));
    text.textContent = left > 0 ? `${left} seconds left` : 'expired';
    bar.value = left;
    return left;
  };
  show();
  const timer = setInterval(() => {
    if (show() === 0 || !text.isConnected) clearInterval(timer);
  }, 1_000);
  return h('span', { class: 'countdown' }, text, bar);
}
