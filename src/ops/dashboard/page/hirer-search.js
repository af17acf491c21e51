import { filledIn } from './dom.js';
import { shortId } from './format.js';
import { request } from './session.js';

/**
 * The query of a form of filters. The reader may name a hirer by its name or by the end of its id, and a user by the
 * subject of their token; the service says what lists know them by.
 * @param {HTMLFormElement} form
 * @returns {Promise<URLSearchParams>}
 * @throws {Error} that names the choices, where several hirers match
 */
export async function readFilters(form) {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(filledIn(form))) {
    if (isTime(name)) query.set(name, new Date(text).toISOString());
    else if (name === 'subject') query.set('user', await findUser(text));
    else query.set(name, name === 'hirer' ? await findHirer(text) : text);
  }
  return query;
}

/**
 * True for a field with a local time.
 * @param {string} name
 */
export function isTime(name) {
  return name === 'since' || name === 'until';
}

/**
 * @param {string} subject
 * @returns {Promise<string>}
 */
async function findUser(subject) {
  /** @type {{ user: string, previousUser?: string }} */
  const { user, previousUser } = await (await request(`/users?${new URLSearchParams({ subject })}`)).json();
  return previousUser === undefined ? user : `${user},${previousUser}`;
}

/**
 * The id of the hirer that is so called, or whose id ends so.
 * @param {string} text
 * @returns {Promise<string>}
 * @throws {Error} that names the choices, where several match
 */
async function findHirer(text) {
  if (text.includes(':')) return text;
  /** @type {{ items: { hirerId: string, name: string | null }[], unnamed: number }} */
  const { items, unnamed } = await (
    await request(`/hirer-search?${new URLSearchParams({ search: text.replace(/^…/, '') })}`)
  ).json();
  const [first, ...others] = items;
  if (!first) {
    const others =
      unnamed > 0 ? ` The upstream does not name ${unnamed} of them now; try again, or use an id.` : '';
    throw new Error(`No hirer that has members or events here matches "${text}".${others}`);
  }
  if (others.length === 0) return first.hirerId;
  const choices = items.map(({ hirerId, name }) => `${name ?? 'no name'} (${shortId(hirerId)})`);
  throw new Error(`Several hirers match: ${choices.join(', ')}. Be more precise.`);
}
