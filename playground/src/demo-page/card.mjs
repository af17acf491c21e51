import { button, h, jsonBlock } from '../pages/dom.mjs';

/**
 * Does something and returns what to show; until then, `tell` shows what it is doing.
 * @typedef {(tell: (...shown: (Node | string)[]) => void) => Promise<(Node | string)[]>} Run
 */

/**
 * A card that runs something and shows the result, until another user or hirer is chosen.
 * @param {{title: string, about: string, sent?: unknown}} text with the body that the page sends
 * @param {Run} run
 */
export function drawCard({ title, about, sent }, run) {
  const result = startResult();
  const id = title.replaceAll(' ', '-').toLowerCase();
  return h(
    'section.card.experiment',
    { 'aria-labelledby': id },
    h(
      'div.experiment-head',
      h('h2', { id }, title),
      button('Run', () => showRun(result, run), `Run: ${title}`),
    ),
    h('p.explanation', about),
    sent !== undefined && fold('What the page sends', jsonBlock(sent, `Request: ${title}`)),
    result,
  );
}

/** Something that is shown on demand. */
export function fold(title, ...content) {
  return h('details', h('summary', title), content);
}

/** A place for the result of a run, with something else in it before the first and after each other choice. */
export function startResult(drawIdle = () => /** @type {Node[]} */ ([])) {
  const place = h('div.result', { role: 'status', 'aria-live': 'polite' }, drawIdle());
  document.addEventListener('choice', () => clearRun(place, drawIdle()));
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
  const isLatest = () => latest.get(place) === mine;
  const tell = (...shown) => isLatest() && place.replaceChildren(...shown);
  place.setAttribute('aria-busy', 'true');
  tell(h('p.facts', 'Running…'));
  const shown = await run(tell).catch(({ name, message }) => [
    h('p.explanation', name === 'Error' ? message : 'There was no answer. Is the playground still running?'),
  ]);
  if (!isLatest()) return;
  clearRun(place, shown);
  place.dispatchEvent(new Event('ran', { bubbles: true }));
}

/** Removes what a run has shown, or would show. */
export function clearRun(/** @type {HTMLElement} */ place, shown = /** @type {(Node | string)[]} */ ([])) {
  latest.delete(place);
  place.removeAttribute('aria-busy');
  place.replaceChildren(...shown);
}
