import { addressOfList } from './addresses.js';
import { make } from './dom.js';
import { shortId } from './format.js';
import { request } from './session.js';

const NAMES_AT_ONCE = 100; // as many as the route takes

/** @type {Map<string, string>} */
const names = new Map();
/** @type {Map<string, Set<HTMLElement>>} */
let unnamed = new Map();
/** @type {number | undefined} */
let asking;

/**
 * A hirer in a list: by name as soon as the upstream says it, until then by the end of the id. The whole id is shown on
 * demand, with a link to all that the list has of the hirer.
 * @param {string | null | undefined} hirerId
 * @param {string} list
 * @param {boolean} isVerified false for an id that a stranger may have made up: the upstream is not asked for it
 * @returns {Node | string}
 */
export function hirerCell(hirerId, list, isVerified = true) {
  if (!hirerId) return '–';
  const name = make('summary', { title: hirerId }, names.get(hirerId) ?? shortId(hirerId));
  if (isVerified && !names.has(hirerId)) {
    unnamed.set(hirerId, (unnamed.get(hirerId) ?? new Set()).add(name));
    asking ??= window.setTimeout(() => void askForNames());
  }
  return make(
    'details',
    { className: 'hirer' },
    name,
    make('code', {}, hirerId),
    ' ',
    make('a', { href: addressOfList(list, { hirer: hirerId }) }, 'Show all'),
  );
}

/** Names what has been shown since the last time; a hirer whose name cannot be had stays an id. */
async function askForNames() {
  const waiting = [...unnamed];
  unnamed = new Map();
  asking = undefined;
  for (let start = 0; start < waiting.length; start += NAMES_AT_ONCE) {
    const some = waiting.slice(start, start + NAMES_AT_ONCE);
    const query = new URLSearchParams(some.map(([hirerId]) => ['hirer', hirerId]));
    try {
      const { items } = await (await request(`/hirer-names?${query}`)).json();
      for (const { hirerId, name } of items) if (name !== null) names.set(hirerId, name);
    } catch {
      return; // ids are shown
    }
    for (const [hirerId, elements] of some) {
      for (const element of elements) element.textContent = names.get(hirerId) ?? element.textContent;
    }
  }
}
