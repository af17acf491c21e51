const CHOICES = ['auto', 'light', 'dark'];
const KEY = 'ops-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/** Follows the system's theme unless the reader chose one; the choice outlives the tab. */
export function startTheme(button, onChange) {
  let choice = localStorage.getItem(KEY) ?? 'auto';
  const apply = () => {
    const dark = choice === 'dark' || (choice === 'auto' && system.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = { auto: 'Auto', light: 'Light', dark: 'Dark' }[choice];
    button.setAttribute('aria-label', `Theme: ${choice}. Change it`);
    onChange();
  };
  button.addEventListener('click', () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    localStorage.setItem(KEY, choice);
    apply();
  });
  system.addEventListener('change', apply);
  apply();
}
