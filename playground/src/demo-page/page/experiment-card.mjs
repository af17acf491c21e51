import { h, jsonBlock } from '../../pages/dom.mjs';

/**
 * The contents of a card before it is run.
 * @typedef {object} Card
 * @property {string} id
 * @property {string} title
 * @property {string} about
 * @property {unknown} [sent] the body that the page sends
 */

/**
 * Does something and returns what to show; until then, `tell` shows what it is doing.
 * @typedef {(tell: (...shown: (Node | string)[]) => void) => Promise<(Node | string)[]>} Run
 */

/**
 * A card that runs something and shows the result, until another user or hirer is chosen.
 * @param {Card} card
 * @param {HTMLFormElement} form with the choice of user and hirer
 * @param {Run} run
 */
export function drawExperimentCard({ id, title, about, sent }, form, run) {
  const result = h('div', { class: 'result', role: 'status', 'aria-live': 'polite' });
  form.addEventListener('choice', () => clearRun(result));
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
          onclick: () => showRun(result, (tell) => run(tell)),
        },
        'Run',
      ),
    ),
    h('p', { class: 'explanation' }, about),
    sent !== undefined &&
      h('details', {}, h('summary', {}, 'What the page sends'), jsonBlock(sent, `Request: ${title}`)),
    result,
  );
}

/** The latest run of each place: what an earlier one brings is not shown any more. */
const latest = new WeakMap();

/**
 * Runs something and shows what it returns, or that there was no answer.
 * @param {HTMLElement} place
 * @param {Run} run
 */
export async function showRun(place, run) {
  latest.set(place, run);
  const isLatest = () => latest.get(place) === run;
  const tell = (...shown) => isLatest() && place.replaceChildren(...shown);
  place.setAttribute('aria-busy', 'true');
  tell(h('p', { class: 'facts' }, 'Running…'));
  const shown = await run(tell).catch(() => [
    h('p', { class: 'explanation' }, 'There was no answer. Is the playground still running?'),
  ]);
  if (!isLatest()) return;
  clearRun(place);
  place.append(...shown);
  place.dispatchEvent(new Event('ran', { bubbles: true }));
}

/**
 * Removes what a run has shown, or would show.
 * @param {HTMLElement} place
 */
export function clearRun(place) {
  latest.delete(place);
  place.removeAttribute('aria-busy');
  place.replaceChildren();
}
