/** @typedef {'auto' | 'light' | 'dark'} Choice */

/** @type {Record<Choice, { text: string, next: Choice }>} */
const CHOICES = {
  auto: { text: 'Auto', next: 'light' },
  light: { text: 'Light', next: 'dark' },
  dark: { text: 'Dark', next: 'auto' },
};
const KEY = 'ops-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/**
 * Follows the system's theme unless the reader chooses one; the choice outlives the tab.
 * @param {HTMLElement} button
 * @param {() => void} onChange
 */
export function startTheme(button, onChange) {
  let choice = storedChoice();
  const apply = () => {
    const dark = choice === 'dark' || (choice === 'auto' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = CHOICES[choice].text;
    button.setAttribute('aria-label', `Theme: ${choice}. Change`);
    onChange();
  };
  button.addEventListener('click', () => {
    choice = CHOICES[choice].next;
    localStorage.setItem(KEY, choice);
    apply();
  });
  system.addEventListener('change', apply);
  apply();
}

/** @returns {Choice} */
function storedChoice() {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}
