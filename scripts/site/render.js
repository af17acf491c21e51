import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import markdownIt from 'markdown-it';

const markdown = markdownIt({ linkify: false });
const FOLDER = Symbol('a folder without a page');
const ELSEWHERE = /^[a-z]+:/i;

/**
 * A page as HTML, with its `ids` (anchors), the `links` to pages, the repository's `files` that it shows or links to, what
 * is `missing`, and its `sections` for the search. Where there is a page, a link to a file or a folder leads to it.
 * @param known the pages, by their file
 */
export function renderPage(page, known) {
  const found = { ids: new Set(), links: [], files: [], missing: [], sections: [] };
  const tokens = markdown.parse(page.markdown, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') beginSection(token, tokens[index + 1], page, found);
    if (token.type === 'inline') {
      for (const [at, child] of token.children.entries()) {
        rewrite(child, page, known, found);
        if (child.meta === FOLDER) unlink(token.children.slice(at));
      }
    }
    const section = found.sections.at(-1);
    if (section && token.type !== 'heading_open') section.text += `${plainText(token)} `;
  }
  const [{ title } = { title: page.file }] = found.sections;
  return { ...page, ...found, title, body: markdown.renderer.render(tokens, markdown.options, {}) };
}

/** Anchors are those of GitHub, so that links work in both places. */
function beginSection(token, inline, { html, file }, { ids, sections }) {
  const heading = plainText(inline).trim();
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let count = 1; ids.has(id); count += 1) id = `${slug}-${count}`;
  ids.add(id);
  token.attrSet('id', id);
  const title = sections.length > 0 ? `${sections[0].title}: ${heading}` : heading || file;
  sections.push({ id: sections.length > 0 ? `${html}#${id}` : html, title, text: '' });
}

function plainText({ type, content, children }) {
  if (type === 'fence' || type === 'code_block') return content;
  return (children ?? []).map((child) => (child.type === 'image' ? '' : child.content)).join('');
}

function rewrite(token, page, known, found) {
  const name = token.type === 'image' ? 'src' : token.type === 'link_open' ? 'href' : undefined;
  if (!name || ELSEWHERE.test(token.attrGet(name))) return;
  const [path, anchor = ''] = decodeURI(token.attrGet(name)).split('#');
  const target = path === '' ? page.file : posix.join(posix.dirname(page.file), path).replace(/\/$/, '');
  const linked = known.get(target) ?? known.get(posix.join(target, 'README.md'));
  if (linked) found.links.push({ page: linked.html, anchor });
  else if (!existsSync(target)) found.missing.push(target);
  else if (statSync(target).isDirectory()) token.meta = FOLDER;
  else found.files.push(target);
  const address = linked?.html ?? target;
  const relative = posix.relative(posix.dirname(page.html), address);
  token.attrSet(name, (relative || posix.basename(address)) + (anchor && `#${anchor}`));
}

/** A folder without a page is named and not linked to: few file servers list one. */
function unlink(tokens) {
  const end = tokens.find(({ type }) => type === 'link_close');
  Object.assign(tokens[0], { tag: 'span', attrs: [] });
  end.tag = 'span';
}
