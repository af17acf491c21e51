import MiniSearch from './minisearch.mjs';

const RESULTS_MAX = 12;
const THEMES = ['light dark', 'dark', 'light'];
const NAMES = { 'light dark': 'Auto', dark: 'Dark', light: 'Light' };
const { documentElement: html } = document;
const root = new URL(html.dataset.root, location.href);

/** The theme is that of the system until one is chosen; the choice stays in the browser. */
const theme = document.querySelector('#theme');
function setTheme(name) {
  html.style.colorScheme = name;
  theme.textContent = NAMES[name];
  localStorage.setItem('theme', name);
}
setTheme(THEMES.find((name) => name === localStorage.getItem('theme')) ?? THEMES[0]);
theme.addEventListener('click', () => {
  const next = (THEMES.indexOf(html.style.colorScheme) + 1) % THEMES.length;
  setTheme(THEMES[next]);
});

/** On a small screen the pages are folded away. */
if (matchMedia('(width <= 50rem)').matches) document.querySelector('nav details').open = false;

for (const pre of document.querySelectorAll('pre')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = 'Copied';
  });
  const frame = Object.assign(document.createElement('div'), { className: 'code' });
  pre.replaceWith(frame);
  frame.append(pre, button);
}

/** The index is fetched when somebody begins to search. */
const input = document.querySelector('search input');
const list = document.querySelector('search ol');
let index;
async function loadIndex() {
  const search = new MiniSearch({
    fields: ['title', 'text'],
    storeFields: ['title'],
    searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.1, combineWith: 'AND' },
  });
  const response = await fetch(new URL('search.json', root));
  search.addAll(await response.json());
  return search;
}
input.addEventListener('focus', () => (index ??= loadIndex()));
input.addEventListener('input', async () => {
  const found = (await (index ??= loadIndex())).search(input.value).slice(0, RESULTS_MAX);
  list.replaceChildren(...found.map(item));
  list.hidden = input.value === '';
  if (found.length === 0) list.textContent = 'Nothing found.';
});
input.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') list.hidden = true;
});

function item({ id, title }) {
  const line = document.createElement('li');
  line.append(
    Object.assign(document.createElement('a'), { href: new URL(id, root).href, textContent: title }),
  );
  return line;
}
