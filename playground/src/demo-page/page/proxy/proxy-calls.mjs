import { h } from '../../../pages/dom.mjs';
import { TOKENS } from '../sequence/steps.mjs';

/** @import { Answer, Call } from '../http.mjs' */

/**
 * The calls that the BFF made for some requests, one per line.
 * @param {Answer[]} answers
 * @param {Call[]} calls
 */
export function drawCalls(answers, calls) {
  const durationMs = answers.reduce((sum, answer) => sum + answer.durationMs, 0);
  return h(
    'div',
    { class: 'calls' },
    h('h3', {}, calls.length === 0 ? 'The BFF made no call' : 'The calls of the BFF'),
    h('ul', {}, calls.map(drawCall)),
    h('p', { class: 'facts' }, `Answered in ${durationMs} ms.`),
  );
}

/** @param {Call} call */
function drawCall({ listener, method, path, status, durationMs, token, acceptLanguage, fields }) {
  const facts = [
    `${durationMs} ms`,
    listener === 'issuer' ? 'for a partner token' : TOKENS[token],
    acceptLanguage,
    fields?.join(', '),
  ];
  return h(
    'li',
    {},
    h('span', { class: 'way' }, listener === 'issuer' ? 'BFF → Issuer' : 'BFF → Upstream'),
    h('strong', {}, `${method} ${path}`),
    h(
      'span',
      { class: 'outcome', 'data-tone': status === 200 ? 'good' : 'bad' },
      String(status ?? 'no answer'),
    ),
    h('span', { class: 'facts' }, facts.filter(Boolean).join(' · ')),
  );
}
