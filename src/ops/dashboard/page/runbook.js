import { byId, make, textOf } from './dom.js';
import { request } from './session.js';

/**
 * Opens a section of the runbook, which the service serves itself.
 * @param {string} heading
 */
export async function showRunbook(heading) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('runbook'));
  byId('runbook-title').textContent = heading;
  try {
    const { text } = await (await request(`/dashboard/runbook/${encodeURIComponent(heading)}`)).json();
    byId('runbook-text').replaceChildren(...toBlocks(text));
  } catch (error) {
    byId('runbook-text').replaceChildren(make('p', {}, textOf(error)));
  }
  if (!dialog.open) dialog.showModal();
}

/**
 * The few forms of Markdown that the runbook uses: paragraphs, lists, code, emphasis.
 * @param {string} markdown
 */
function toBlocks(markdown) {
  return markdown.split(/\n{2,}/).map((block) => {
    if (block.startsWith('```')) return make('pre', {}, block.replace(/^```.*\n|\n?```$/g, ''));
    if (!block.startsWith('- ')) return make('p', {}, ...toSpans(block));
    const items = block.split(/^- /m).slice(1);
    return make('ul', {}, ...items.map((item) => make('li', {}, ...toSpans(item))));
  });
}

/** @param {string} text */
function toSpans(text) {
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`|\*\*[^*]+\*\*|_[^_]+_(?!\w))/)
    .map((span) => {
      if (/^`.+`$/.test(span)) return make('code', {}, span.slice(1, -1));
      if (/^\*\*.+\*\*$/.test(span)) return make('strong', {}, span.slice(2, -2));
      return /^_.+_$/.test(span) ? make('strong', {}, span.slice(1, -1)) : span;
    });
}
