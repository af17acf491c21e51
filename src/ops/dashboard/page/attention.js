import { addressOfList } from './addresses.js';
import { byId, make } from './dom.js';
import { showRunbook } from './runbook.js';

/**
 * Something that needs attention, in whole sentences.
 * @typedef {{ severity: 'bad' | 'warn' | 'unknown' | 'info', what: string, fault: string, action: string, runbook: string,
 *   list?: { name: keyof typeof LISTS, filter: Record<string, string> } }} Attention
 */

/** The text of a link to each list. */
const LISTS = {
  audit: 'Show these requests',
  events: 'Show these events',
  refusals: 'Show the reasons',
  relationships: 'Show these hirers',
};

/** @type {string} */
let shown = '';

/**
 * Shows what needs attention, the worst first: what is wrong, whose fault it is, and what to do.
 * @param {readonly Attention[]} items
 */
export function showAttention(items) {
  const urgent = items.filter(({ severity }) => severity === 'bad' || severity === 'warn').length;
  const isClear = items.every(({ severity }) => severity === 'info');
  document.title = `${urgent > 0 ? `(${urgent}) ` : ''}${document.title.replace(/^\(\d+\) /, '')}`;
  const key = JSON.stringify(items);
  if (key === shown) return; // what is being read, or has the focus, stays
  shown = key;
  byId('attention-list').replaceChildren(...(isClear ? [allClear()] : []), ...items.map(toItem));
}

function allClear() {
  return make(
    'li',
    { data: { severity: 'good' } },
    make('p', { className: 'what' }, 'Nothing needs attention.'),
  );
}

/** @param {Attention} item */
function toItem({ severity, what, fault, action, runbook, list }) {
  const onclick = () => void showRunbook(runbook);
  return make(
    'li',
    { data: { severity } },
    make('p', { className: 'what' }, what),
    make(
      'dl',
      {},
      make('dt', {}, 'Whose fault'),
      make('dd', {}, fault),
      make('dt', {}, 'What to do'),
      make(
        'dd',
        {},
        `${action} `,
        make('button', { type: 'button', className: 'link', onclick }, `Runbook: ${runbook}`),
        list ? ' ' : null,
        list
          ? make('a', { className: 'list', href: addressOfList(list.name, list.filter) }, LISTS[list.name])
          : null,
      ),
    ),
  );
}
