const POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** The whole page: sidebar, search, theme, and its own text. Every address is relative, so that any base path will do. */
export function layout({ html, title, body }, groups) {
  const root = '../'.repeat(html.split('/').length - 1);
  return `<!doctype html>
<html lang="en" data-root="${root || './'}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta http-equiv="content-security-policy" content="${POLICY}" />
    <title>${escape(title)} · Partner BFF</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${root}site.css" />
    <script type="module" src="${root}site.mjs"></script>
  </head>
  <body>
    <header>
      <a href="${root}index.html">Partner BFF</a>
      <search>
        <input type="search" placeholder="Search" aria-label="Search" autocomplete="off" />
        <ol hidden></ol>
      </search>
      <button id="theme" type="button" title="Theme">Auto</button>
    </header>
    <nav aria-label="Pages">
      <details open>
        <summary>Pages</summary>
        ${groups.map((group) => groupOf(group, root, html)).join('\n')}
      </details>
    </nav>
    <main>${body}</main>
  </body>
</html>
`;
}

function groupOf({ title, entries }, root, current) {
  const items = entries.map(
    (entry) =>
      `<li><a href="${root}${entry.html}"${entry.html === current ? ' aria-current="page"' : ''}>${escape(entry.title)}</a></li>`,
  );
  return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
