import { button, h, jsonBlock } from '../pages/dom.mjs';

/** @typedef {() => Promise<(Node | string)[]>} Run does something, and returns what to show */

/**
 * A card that runs something and shows the result, until another user or hirer is chosen.
 * @param {{title: string, about: string, operations?: object[]}} text with the operations that the page sends
 * @param {Run} run
 */
export function drawCard({ title, about, operations = [] }, run) {
  const result = startResult();
  const id = title.replaceAll(' ', '-').toLowerCase();
  const sent = operations.length === 1 ? operations[0] : operations;
  return h(
    'section.card.experiment',
    { 'aria-labelledby': id },
    h(
      'div.experiment-head',
      h('h2', { id }, title),
      button('Run', () => showRun(result, run), `Run: ${title}`),
    ),
    h('p.explanation', about),
    operations.length > 0 && fold('What the page sends', jsonBlock(sent, `Request: ${title}`)),
    result,
  );
}

/** Something that is shown on demand. */
export function fold(title, ...content) {
  return h('details', h('summary', title), content);
}

/** A place for the result of a run, which is empty again after another choice. */
export function startResult() {
  const place = h('div.result', { role: 'status', 'aria-live': 'polite' });
  document.addEventListener('choice', () => clearRun(place));
  return place;
}

/** The latest run of each place: what an earlier one brings is not shown any more. */
const latest = new WeakMap();

/**
 * Runs something and shows what it returns, or why there is nothing.
 * @param {HTMLElement} place
 * @param {Run} run
 */
export async function showRun(place, run) {
  const mine = {};
  latest.set(place, mine);
  place.setAttribute('aria-busy', 'true');
  place.replaceChildren(h('p.facts', 'Running…'));
  const shown = await run().catch(({ message }) => [h('p.explanation', message)]);
  if (latest.get(place) === mine) clearRun(place, shown);
}

/** Removes what a run has shown, or would show. */
export function clearRun(/** @type {HTMLElement} */ place, shown = /** @type {(Node | string)[]} */ ([])) {
  latest.delete(place);
  place.removeAttribute('aria-busy');
  place.replaceChildren(...shown);
}
