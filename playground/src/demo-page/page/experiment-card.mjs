import { copyButton, h, jsonBlock } from './dom.mjs';

/**
 * The contents of a card before it is run.
 * @typedef {object} Card
 * @property {string} id
 * @property {string} title
 * @property {string} about
 * @property {unknown} [sent] the body that the page sends
 * @property {string} [code] how a page does the same with the browser package
 */

/**
 * A card that runs something and shows the result.
 * @param {Card} card
 * @param {() => Promise<(Node | string)[]>} run returns what to show
 */
export function drawExperimentCard({ id, title, about, sent, code }, run) {
  const result = h('div', { class: 'result', role: 'status', 'aria-live': 'polite' });
  return h(
    'section',
    { class: 'card experiment', 'aria-labelledby': `experiment-${id}` },
    h(
      'div',
      { class: 'experiment-head' },
      h('h2', { id: `experiment-${id}` }, title),
      h(
        'button',
        {
          type: 'button',
          class: 'secondary',
          'aria-label': `Run: ${title}`,
          onclick: () => showRun(result, run),
        },
        'Run',
      ),
    ),
    h('p', { class: 'explanation' }, about),
    sent !== undefined &&
      h('details', {}, h('summary', {}, 'What the page sends'), jsonBlock(sent, `Request: ${title}`)),
    code !== undefined && drawCode(code, title),
    result,
  );
}

/**
 * Runs something and shows what it returns, or that there was no answer.
 * @param {HTMLElement} place
 * @param {() => Promise<(Node | string)[]>} run
 */
export async function showRun(place, run) {
  place.setAttribute('aria-busy', 'true');
  try {
    place.replaceChildren(...(await run()));
  } catch {
    place.replaceChildren(
      h('p', { class: 'explanation' }, 'There was no answer. Is the playground still running?'),
    );
  } finally {
    place.removeAttribute('aria-busy');
  }
}

/**
 * Code to copy, folded away.
 * @param {string} code
 * @param {string} title of what it does
 */
export function drawCode(code, title) {
  return h(
    'details',
    { class: 'show-code' },
    h('summary', {}, 'Show me the code'),
    h(
      'div',
      { class: 'command-line' },
      h('p', { class: 'facts' }, 'With the browser package ', h('code', {}, 'partner-bff-client'), '.'),
      copyButton(() => code, `Copy the code: ${title}`),
    ),
    jsonBlock(code, `Code: ${title}`),
  );
}
