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
 * What is filled in, by name; empty fields are left out.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function filledIn(form) {
  const entries = [...new FormData(form)].map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() : '',
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
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
    if (field instanceof HTMLInputElement) {
      field.value = field.type === 'datetime-local' ? localTime(value) : value;
    }
    if (field instanceof HTMLSelectElement) field.value = value;
  }
}

/**
 * A time of UTC as a field for local times takes it.
 * @param {string} time
 */
function localTime(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
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
