/**
 * Makes an element: `h('p.facts', 'text')`. Texts are never parsed as markup. `on…` attributes become listeners.
 * @param {string} name a tag, and its classes after dots
 * @param {...any} parts attributes as an object, children as nodes, texts and arrays of them; what is false, null or
 *   undefined is left out
 * @returns {any}
 */
export function h(name, ...parts) {
  const [tag = '', ...classes] = name.split('.');
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const part of parts.flat(Infinity)) {
    if (part?.constructor === Object) setAttributes(element, part);
    else if (!isAbsent(part)) element.append(part);
  }
  return element;
}

const isAbsent = (value) => value === undefined || value === null || value === false;

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (!isAbsent(value)) element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** A button; `label` says what it is for where its text does not. */
export function button(text, onclick, label) {
  return h('button.secondary', { type: 'button', onclick, 'aria-label': label }, text);
}

/** Formatted JSON; a string is shown as it is. */
export function jsonBlock(value, label) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return h('pre.code', { tabindex: 0, 'aria-label': label }, h('code', text));
}

/** The end of an id: the beginning of one that a service makes is its time, the same for calls at the same moment. */
export const shortId = (/** @type {string} */ id) => id.slice(-8);

/** The time of day, as all these pages show it. */
export const timeOf = (/** @type {string | number | Date} */ time) =>
  new Date(time).toLocaleTimeString(undefined, { hourCycle: 'h23' });
