import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { openApiPage } from './openapi-page.js';

const OTHERS =
  'CHANGELOG.md CONTRIBUTING.md SECURITY.md {client,playground,deploy}/*.md examples/*/README.md';
const GENERATED = { public: 'The public listener', ops: 'The ops listener' };

/**
 * The pages of the site, each with its file, its address and its Markdown; and the groups of the sidebar: the tables of
 * `docs/README.md`, in their order.
 */
export function readPages() {
  const files = [
    'README.md',
    ...globSync('docs/**/*.md'),
    ...OTHERS.split(' ').flatMap((one) => globSync(one)),
  ];
  const openApi = Object.entries(GENERATED).map(([listener, title]) => ({
    file: `docs/openapi-${listener}.md`,
    markdown: openApiPage(title, JSON.parse(readFileSync(`schemas/openapi/${listener}.json`, 'utf8'))),
    title,
  }));
  const written = files.map((file) => ({ file, markdown: readFileSync(file, 'utf8') }));
  const pages = [...written, ...openApi].map((page) => ({ ...page, html: addressOf(page.file) }));
  const entries = openApi.map(({ file, title }) => ({ html: addressOf(file), title }));
  return { pages, groups: [...tables(), { title: 'OpenAPI', entries }] };
}

/** `README.md` is what a file server shows for its folder. */
function addressOf(file) {
  return file.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

function tables() {
  const [path, reference] = readFileSync('docs/README.md', 'utf8').split('\n## ');
  return [
    { title: 'The path', entries: [{ html: 'index.html', title: 'Partner BFF' }, ...entriesOf(path)] },
    { title: 'Reference', entries: entriesOf(reference) },
  ];
}

function entriesOf(table) {
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  const links = rows.flatMap((row) => [...row.split(' | ')[0].matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)]);
  return links.map(([, title, target]) => ({
    title: title.charAt(0).toUpperCase() + title.slice(1),
    html: addressOf(posix.join('docs', target)),
  }));
}
