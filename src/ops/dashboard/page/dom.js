/** The element with that id. */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Makes an element. Text goes in as text, never as markup: much of what is shown here was written by strangers.
 * @param {string} tag
 * @param {Record<string, unknown>} properties properties of the element; `data` and `aria` are sets of attributes
 * @param {...(Node | string | null | undefined)} children
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
 * Makes a table.
 * @param {{title: string, kind?: string, cell: (item: any) => Node | string}[]} columns
 * @param {any[]} items
 */
export function makeTable(columns, items) {
  const head = columns.map(({ title, kind = '' }) => make('th', { scope: 'col', className: kind }, title));
  const rows = items.map((item) =>
    make('tr', {}, ...columns.map(({ kind = '', cell }) => make('td', { className: kind }, cell(item)))),
  );
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows));
}

/** A sentence in place of a list that has nothing to show. */
export function makeEmpty(text) {
  return make('p', { className: 'empty' }, text);
}

let hiding;

/** Says something for a few seconds. */
export function say(text) {
  const toast = byId('toast');
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (toast.hidden = true), 6_000);
}
