/**
 * The element with that id, which the page has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * The form with that id.
 * @param {string} id
 * @returns {HTMLFormElement}
 */
export function formById(id) {
  const form = byId(id);
  if (!(form instanceof HTMLFormElement)) throw new Error(`#${id} is not a form`);
  return form;
}

/**
 * A field of a form.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @returns {HTMLInputElement}
 */
export function fieldOf(form, name) {
  const field = form.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement)) throw new Error(`the form has no field ${name}`);
  return field;
}

/**
 * Sets fields of a form, and empties the others.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} values
 */
export function fillForm(form, values) {
  form.reset();
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value;
  }
}

/**
 * Makes an element. Text goes in as text, never as markup: much of what is shown here was written by strangers.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown> & { data?: Record<string, string>, aria?: Record<string, string> }} properties
 *   properties of the element; `data` and `aria` are sets of attributes
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const { data = {}, aria = {}, ...plain } = properties;
  const element = Object.assign(document.createElement(tag), plain);
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * A column of a table of `T`.
 * @template T
 * @typedef {{ title: string, kind?: string, cell: (item: T) => Node | string }} Column
 */

/**
 * Makes a table.
 * @template T
 * @param {readonly Column<T>[]} columns
 * @param {readonly T[]} items
 */
export function makeTable(columns, items) {
  const head = columns.map(({ title, kind = '' }) => make('th', { scope: 'col', className: kind }, title));
  const rows = items.map((item) =>
    make(
      'tr',
      {},
      ...columns.map(({ title, kind = '', cell }) =>
        make('td', { className: kind, data: { title } }, cell(item)),
      ),
    ),
  );
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows));
}

/**
 * Shows a page of a list: in place of what `list` shows, or after it, with a button where there is more.
 * @param {HTMLElement} list
 * @param {HTMLTableElement} table
 * @param {boolean} appends
 * @param {HTMLButtonElement | null} more
 */
export function showPage(list, table, appends, more) {
  const body = list.querySelector('tbody');
  if (appends && body) body.append(...table.querySelectorAll('tbody tr'));
  else list.replaceChildren(table);
  list.querySelector('.more')?.remove();
  if (more) list.append(make('p', { className: 'more' }, more));
}

/**
 * A sentence in place of a list that has nothing to show.
 * @param {string} text
 */
export function makeEmpty(text) {
  return make('p', { className: 'empty' }, text);
}

/** @type {number | undefined} */
let hiding;

/**
 * Shows a message for a few seconds.
 * @param {string} text
 */
export function say(text) {
  const toast = byId('toast');
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = window.setTimeout(() => (toast.hidden = true), 6_000);
}

/**
 * The message to show for an error of any type.
 * @param {unknown} error
 */
export function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}
