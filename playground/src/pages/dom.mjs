/**
 * Makes an element. Text children are never parsed as markup. `on…` attributes become listeners; attributes that are
 * false, null or undefined are left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children nodes, texts and arrays of them; false, null and undefined are left out
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children.flat().filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/**
 * A button that copies a text and confirms it.
 * @param {() => string | null} text
 * @param {string} label
 */
export function copyButton(text, label) {
  const button = h('button', { type: 'button', class: 'quiet', 'aria-label': label }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text() ?? '');
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1_600);
  });
  return button;
}

/**
 * Formatted JSON; a string is shown as it is.
 * @param {unknown} value
 * @param {string} label
 */
export function jsonBlock(value, label) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return h('pre', { class: 'code', tabindex: '0', 'aria-label': label }, h('code', {}, text));
}

/** The end of an id: the beginning of one that a service makes is its time, the same for calls at the same moment. */
export const shortId = (/** @type {string} */ id) => id.slice(-8);
