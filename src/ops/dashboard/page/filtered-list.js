import { addressOfList } from './addresses.js';
import { byId, filledIn, fillForm, formById, make, makeEmpty, textOf } from './dom.js';
import { isTime, readFilters } from './hirer-search.js';
import { Refusal, request } from './session.js';
import { appendRows, showTable } from './table.js';

/** @import { Column } from './table.js' */

/**
 * A list with a form of filters, page by page. What is searched for stands in the address.
 * @template T
 */
export class FilteredList {
  /**
   * @param {string} name of the section, its form and its list
   * @param {string} path of the route
   * @param {string} items what it lists
   * @param {readonly Column<T>[]} columns
   */
  constructor(name, path, items, columns) {
    this.name = name;
    this.path = path;
    this.items = items;
    this.columns = columns;
    this.form = formById(`${name}-form`);
    this.list = byId(`${name}-list`);
    this.loads = 0;
    this.form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      history.pushState(null, '', addressOfList(name, searchOf(this.form)));
      this.list.replaceChildren(makeEmpty('Searching…'));
      void this.load();
    });
  }

  /**
   * Shows what has these values.
   * @param {Record<string, string>} filter
   */
  async pick(filter) {
    fillForm(this.form, filter);
    await this.load();
    byId(this.name).scrollIntoView();
    this.list.focus({ preventScroll: true });
  }

  /** @param {string} [after] cursor of the page; without it, the first */
  async load(after) {
    const load = (this.loads += 1);
    try {
      const query = await readFilters(this.form);
      if (after) query.set('after', after);
      /** @type {{ items: T[], next: string | null }} */
      const { items, next } = await (await request(`${this.path}${query}`)).json();
      if (load !== this.loads) return; // something else has been searched for since
      this.list.querySelector('.more')?.remove();
      if (after) appendRows(this.list, this.columns, items);
      else if (items.length > 0) showTable(this.list, this.columns, items);
      else this.list.replaceChildren(makeEmpty(`No matching ${this.items}.`));
      if (next) this.list.append(this.moreButton(next));
    } catch (error) {
      if (load !== this.loads) return;
      this.list.replaceChildren(makeEmpty(textOf(error)));
      byId(this.name).toggleAttribute('data-absent', error instanceof Refusal && error.status === 404);
    }
  }

  /** @param {string} next */
  moreButton(next) {
    const onclick = () => this.load(next);
    return make(
      'p',
      { className: 'more' },
      make('button', { type: 'button', onclick }, `Show more ${this.items}`),
    );
  }
}

/**
 * What is searched for; times as UTC, so that the address means the same to everybody.
 * @param {HTMLFormElement} form
 */
function searchOf(form) {
  const entries = Object.entries(filledIn(form)).map(([name, value]) => [
    name,
    isTime(name) ? new Date(value).toISOString() : value,
  ]);
  return Object.fromEntries(entries);
}
