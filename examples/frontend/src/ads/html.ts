/** Paragraphs of plain text as the markup of an ad. */
export function htmlOfText(text: string): string {
  const escape = (part: string) =>
    part.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!);
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escape(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');
}

/** Markup of others as plain text; nothing of it runs or is loaded, since the document is not shown. */
export function textOfHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('br')) element.replaceWith('\n');
  for (const element of body.querySelectorAll('li')) element.prepend('• ');
  for (const element of body.querySelectorAll('li, tr')) element.append('\n');
  for (const element of body.querySelectorAll('p, div, ul, ol, h1, h2, h3, h4')) element.append('\n\n');
  return body.textContent.replace(/\n{3,}/g, '\n\n').trim();
}
