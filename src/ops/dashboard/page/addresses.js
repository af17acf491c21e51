/**
 * A place on the page: an event, or a list with values of its filters.
 * @typedef {{ event: string } | { list: string, filter: Record<string, string> }} Place
 */

const EVENT = '#event/';

/**
 * The address of a list, with values of its filters.
 * @param {string} list
 * @param {Record<string, string>} [filter]
 */
export function addressOfList(list, filter = {}) {
  const query = new URLSearchParams(filter).toString();
  return `#${list}${query && `?${query}`}`;
}

/**
 * The address of the page of an event.
 * @param {string} id
 */
export function addressOfEvent(id) {
  return EVENT + encodeURIComponent(id);
}

/**
 * Calls at each change of the address, and where a link leads to where one is already.
 * @param {(place: Place) => void} onPlace
 */
export function followAddress(onPlace) {
  const go = () => onPlace(placeOf(location.hash));
  addEventListener('hashchange', go);
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.hash && link.hash === location.hash) go();
  });
  go();
}

/**
 * @param {string} hash
 * @returns {Place}
 */
function placeOf(hash) {
  if (hash.startsWith(EVENT)) return { event: decode(hash.slice(EVENT.length)) };
  const [list = '', query = ''] = hash.slice(1).split('?');
  return { list, filter: Object.fromEntries(new URLSearchParams(query)) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
