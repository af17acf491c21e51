import { make } from './dom.js';

/**
 * A column of a table of `T`.
 * @template T
 * @typedef {{ title: string, kind?: string, cell: (item: T) => Node | string }} Column
 */

/** @type {WeakMap<Element, string>} */
const texts = new WeakMap();

/**
 * Makes a table.
 * @template T
 * @param {readonly Column<T>[]} columns
 * @param {readonly T[]} items
 */
export function makeTable(columns, items) {
  const head = columns.map(({ title, kind = '' }) => make('th', { scope: 'col', className: kind }, title));
  const body = make('tbody', {}, ...items.map((item) => makeRow(columns, item)));
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), body);
}

/**
 * Shows items in the table of `list`, or in a new one. A row whose item is as it was stays the same element, so that what is
 * focused, selected or open in it stays so; in a row that is made anew the focus goes to where it was.
 * @template T
 * @param {HTMLElement} list
 * @param {readonly Column<T>[]} columns
 * @param {readonly T[]} items
 */
export function showTable(list, columns, items) {
  const body = list.querySelector(':scope > table > tbody');
  if (!body) {
    list.replaceChildren(makeTable(columns, items));
    return;
  }
  const focus = focusIn(body);
  const known = new Map([...body.children].map((row) => [texts.get(row), row]));
  const rows = items.map((item) => known.get(JSON.stringify(item)) ?? makeRow(columns, item));
  for (const row of [...body.children]) {
    if (!rows.includes(/** @type {HTMLTableRowElement} */ (row))) row.remove();
  }
  let next = body.firstElementChild;
  for (const row of rows) {
    if (row === next) next = row.nextElementSibling;
    else body.insertBefore(row, next);
  }
  if (focus && !body.contains(document.activeElement)) {
    focusables(body.children[focus.row])[focus.index]?.focus();
  }
}

/**
 * Shows further items after those that `list` has.
 * @template T
 * @param {HTMLElement} list
 * @param {readonly Column<T>[]} columns
 * @param {readonly T[]} items
 */
export function appendRows(list, columns, items) {
  list.querySelector(':scope > table > tbody')?.append(...items.map((item) => makeRow(columns, item)));
}

/**
 * @template T
 * @param {readonly Column<T>[]} columns
 * @param {T} item
 */
function makeRow(columns, item) {
  const cells = columns.map(({ title, kind = '', cell }) =>
    make('td', { className: kind, data: { title } }, cell(item) || null),
  );
  const row = make('tr', {}, ...cells);
  texts.set(row, JSON.stringify(item));
  return row;
}

/** @param {Element} body */
function focusIn(body) {
  const row = [...body.children].findIndex((one) => one.contains(document.activeElement));
  if (row < 0) return undefined;
  const index = focusables(body.children[row]).findIndex((one) => one === document.activeElement);
  return { row, index };
}

/**
 * @param {Element | undefined} row
 * @returns {HTMLElement[]}
 */
function focusables(row) {
  return [...(row?.querySelectorAll('a, button, summary') ?? [])].filter((one) => one instanceof HTMLElement);
}
