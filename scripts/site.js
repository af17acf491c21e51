import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPages } from './site/pages.js';
import { renderPage } from './site/render.js';
import { layout } from './site/layout.js';

/**
 * `npm run docs:site`: README and docs as a site in `site`, or in the folder that is named, for any file server and any
 * path. A link to nothing ends it with code 1.
 */
const [to = 'site'] = process.argv.slice(2);

const { pages, groups } = readPages();
const known = new Map(pages.map((page) => [page.file, page]));
const rendered = pages.map((page) => renderPage(page, known));
const anchors = new Map(rendered.map(({ html, ids }) => [html, ids]));
const dead = rendered.flatMap(({ file, links }) =>
  links
    .filter(({ page, anchor }) => anchor !== '' && !anchors.get(page)?.has(anchor))
    .map(({ page, anchor }) => `${file}: ${page} has no ${anchor}`),
);
dead.push(...rendered.flatMap((page) => page.missing.map((target) => `${page.file}: there is no ${target}`)));

rmSync(to, { recursive: true, force: true });
for (const page of rendered) write(page.html, layout(page, groups));
for (const file of new Set(rendered.flatMap(({ files }) => files)))
  cpSync(file, join(to, file), { recursive: true });
write('search.json', JSON.stringify(rendered.flatMap(({ sections }) => sections)));
for (const name of ['site.css', 'site.mjs']) cpSync(new URL(`site/${name}`, import.meta.url), join(to, name));
cpSync(new URL(import.meta.resolve('minisearch')), join(to, 'minisearch.mjs'));
for (const line of dead) console.error(line);
if (dead.length > 0) process.exitCode = 1;

function write(name, text) {
  mkdirSync(dirname(join(to, name)), { recursive: true });
  writeFileSync(join(to, name), text);
}
