import { h } from '../../../pages/dom.mjs';
import { send } from '../http.mjs';

/**
 * An attachment behind a sealed address, to download with the user's token or through a one-use link without it.
 * @param {{seekRoleCode: string | null, url: string}} attachment
 * @param {string} token
 */
export function drawAttachment({ seekRoleCode, url }, token) {
  const name = seekRoleCode ?? 'Attachment';
  const about = h('span', { class: 'facts' }, `${url.slice(0, 40)}…`);
  const link = h('div', { class: 'one-use-link' });
  return h(
    'li',
    {},
    h('strong', {}, name),
    about,
    h(
      'span',
      { class: 'attachment-actions' },
      button('Download', `Download ${name}`, () => download(url, token, about)),
      button('One-use link', `Create a one-use link: ${name}`, () => createLink(url, token, link)),
    ),
    link,
  );
}

async function download(url, token, about) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) return about.replaceChildren(`Refused: ${response.status}`);
  const file = await response.blob();
  const name = fileName(response.headers.get('content-disposition'));
  save(file, name);
  about.replaceChildren(`${name}, ${Math.ceil(file.size / 1_000)} kB`);
}

/** Shows a new link. The first click is the browser's own: no token is needed. Later ones show why nothing comes. */
async function createLink(path, token, place) {
  const { status, body } = await send('/attachments/links', {
    sessionId: crypto.randomUUID(),
    token,
    body: { path },
  });
  if (status !== 200) return place.replaceChildren(`Refused: ${status} ${body.code ?? ''}`);
  const about = h('p', { class: 'facts' });
  about.append(`Works once, within ${body.expires_in} seconds, without a token. Click it.`);
  let isUsed = false;
  const use = async (event) => {
    if (!isUsed) {
      isUsed = true;
      return about.replaceChildren('Used. Click it again.');
    }
    event.preventDefault();
    const answer = await fetch(body.url);
    const { code } = await answer.json();
    about.replaceChildren(`The second use was refused: ${answer.status} ${code}`);
    about.dataset.tone = 'bad';
  };
  place.replaceChildren(
    h('a', { href: body.url, download: true, onclick: use }, `${body.url.slice(0, 40)}…`),
    about,
  );
}

function button(text, label, onclick) {
  return h('button', { type: 'button', class: 'secondary', 'aria-label': label, onclick }, text);
}

function fileName(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  return encoded ? decodeURIComponent(encoded) : 'attachment';
}

/** Has the browser save a file. A plain link is not enough, as the request needs the user's token. */
function save(file, name) {
  const href = URL.createObjectURL(file);
  h('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
