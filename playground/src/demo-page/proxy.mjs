import { byId } from '../pages/control.mjs';
import { button, h, jsonBlock } from '../pages/dom.mjs';
import { drawCard, fold } from './card.mjs';
import { drawGraphql } from './sequence.mjs';
import { askBff, codeOf, send } from './session.mjs';

/** @import { Answer } from './session.mjs' */
/**
 * Requests to `POST /graphql` of the BFF, and how their answers are shown.
 * @typedef {object} Experiment
 * @property {string} title
 * @property {string} about
 * @property {{headers?: Record<string, string>, body: any}[]} requests
 * @property {(answers: any, token: string) => HTMLElement[]} draw
 */

const PLACE = 'seekAnzPublicTest:location:seek:6CpLz7VsM';
const FIELD = 'seekAnzPublicTest:jobCategory:seek:3JsXt8PdY';
const APPLICATION = 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex';

/** @type {Experiment[]} */
const EXPERIMENTS = [
  {
    title: 'A registered operation',
    about:
      'Positions need the partner token, which gives access to every hirer. So the page sends a name instead of a query: the BFF holds the text and sets the hirer itself.',
    requests: [{ body: { documentId: 'PositionOpenings', variables: { first: 3 } } }],
    draw: drawPositions,
  },
  {
    title: 'Three languages',
    about:
      'The BFF passes the user’s Accept-Language on. A query that the page writes itself is sent with a browser token.',
    requests: ['en-AU', 'id-ID', 'th-TH'].map((language) => ({
      headers: { 'Accept-Language': language },
      body: {
        query:
          'query ($place: String!, $field: String!) { location(id: $place) { contextualName } jobCategory(id: $field) { name } }',
        variables: { place: PLACE, field: FIELD },
      },
    })),
    draw: drawLanguages,
  },
  {
    title: 'A batch in which one fails',
    about:
      'Three operations in one request. The second reads an application, which a browser token cannot access. The other two are unaffected.',
    requests: [
      {
        body: [
          { query: 'query { self { hirer { name } } }' },
          {
            query: 'query ($id: String!) { candidateProfile(id: $id) { createDateTime } }',
            variables: { id: APPLICATION },
          },
          {
            query: 'query ($id: String!) { location(id: $id) { contextualName } }',
            variables: { id: PLACE },
          },
        ],
      },
    ],
    draw: drawBatch,
  },
  {
    title: 'An attachment',
    about:
      'Files are stored at the upstream. The page gets sealed addresses instead: each works for this user, through the BFF, for 15 minutes. A one-use link is for <a href> and viewers, which cannot send a token. This application belongs to Banksia; with another hirer nothing is returned.',
    requests: [{ body: { documentId: 'Application', variables: { id: APPLICATION } } }],
    draw: drawAttachments,
  },
];

/** Fills the second step: a card for each experiment. */
export function startProxy() {
  const cards = EXPERIMENTS.map((experiment) =>
    drawCard({ ...experiment, sent: experiment.requests[0]?.body }, () => run(experiment)),
  );
  byId('experiments').append(...cards);
}

async function run(/** @type {Experiment} */ { requests, draw }) {
  const { user, token, answers, calls } = await askBff(requests);
  const refused = answers.find(({ status }) => status !== 200);
  const drawn = refused ? drawRefusal(refused, user, calls) : draw(answers, token);
  const answer = /** @type {Answer} */ (refused ?? answers[0]);
  const durationMs = answers.reduce((sum, one) => sum + one.durationMs, 0);
  const detail = requests.length > 1 ? `${requests.length} requests` : requests[0]?.body.documentId;
  return [...drawn, drawGraphql({ answer: { ...answer, durationMs }, calls, detail })];
}

function drawRefusal(answer, user, calls) {
  const about = explainRefusal(answer, user, calls);
  return [h('p.explanation', { 'data-tone': 'bad' }, about), jsonBlock(answer.body, 'The answer')];
}

function explainRefusal(answer, user, calls) {
  const code = codeOf(answer);
  switch (code) {
    case 'FORBIDDEN':
      return calls.length === 0
        ? `${user.name} does not belong to this hirer, so the BFF made no call.`
        : 'The object belongs to another hirer. The BFF found that in the upstream’s answer and returned none of it.';
    case 'UNAUTHENTICATED':
      return 'The BFF does not accept this end-user token. If the playground was restarted, try again.';
    default:
      return `The BFF refused the request as a whole: ${answer.status} ${code ?? ''}.`;
  }
}

function drawPositions([{ body }]) {
  const openings = body.data?.positionOpenings.edges ?? [];
  const items = openings.map(({ node: { statusCode, paginatedPositionProfiles } }) =>
    h('li', paginatedPositionProfiles.edges[0]?.node.positionTitle, ' ', h('small', statusCode)),
  );
  return [
    ...drawErrors(body),
    h('ul', { 'aria-label': 'Positions' }, items),
    fold('The whole answer', jsonBlock(body, 'The answer')),
  ];
}

function drawLanguages(answers) {
  const cards = answers.map(({ body, headers }) => {
    const language = headers.get('content-language');
    return h(
      'div.language',
      { lang: language },
      h('p.facts', { lang: 'en' }, h('code', language)),
      h('p', h('strong', body.data?.location?.contextualName ?? '–')),
      h('p', body.data?.jobCategory?.name ?? '–'),
    );
  });
  return [...drawErrors(answers[0].body), h('div.languages', cards)];
}

function drawBatch([{ body }]) {
  const items = body.map(({ data, errors: [error] = [] }) =>
    h(
      'li',
      { 'data-state': error ? 'failed' : 'passed' },
      h('span.mark', { 'aria-hidden': true }, error ? '✕' : '✓'),
      h('code', error ? `${error.extensions?.code}: ${error.message}` : JSON.stringify(data)),
    ),
  );
  return [h('ol.rows', { 'aria-label': 'Answers in the order of the requests' }, items)];
}

function drawErrors({ errors = [] }) {
  return errors.map(({ message, extensions }) =>
    h('p.explanation', { 'data-tone': 'bad' }, `${extensions?.code ?? 'Error'}: ${message}`),
  );
}

function drawAttachments([{ body }], token) {
  const found = body.data?.candidateProfile?.attachments ?? [];
  if (found.length === 0) return [...drawErrors(body), jsonBlock(body, 'The answer')];
  return [
    h(
      'ul.rows',
      found.map((attachment) => drawAttachment(attachment, token)),
    ),
  ];
}

/** A file behind a sealed address, to download with the user's token or through a one-use link without it. */
function drawAttachment({ seekRoleCode: name = 'Attachment', url }, token) {
  const about = h('span.facts', `${url.slice(0, 40)}…`);
  const link = h('div.one-use-link');
  return h(
    'li',
    h('strong', name),
    about,
    button('Download', () => download(url, token, about), `Download ${name}`),
    button('One-use link', () => createLink(url, token, link), `Create a one-use link: ${name}`),
    link,
  );
}

/** Has the browser save a file. A plain link is not enough, as the request needs the user's token. */
async function download(url, token, about) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) return about.replaceChildren(`Refused: ${response.status}`);
  const file = await response.blob();
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const name = encoded ? decodeURIComponent(encoded) : 'attachment';
  const href = URL.createObjectURL(file);
  h('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  about.replaceChildren(`${name}, ${Math.ceil(file.size / 1_000)} kB`);
}

/** Shows a new link. The first click is the browser's own: no token is needed. Later ones show why nothing comes. */
async function createLink(path, token, place) {
  const created = await send('/attachments/links', { token, body: { path } });
  if (created.status !== 200) {
    return place.replaceChildren(`Refused: ${created.status} ${codeOf(created) ?? ''}`);
  }
  const { url, expires_in: seconds } = created.body;
  const about = h('p.facts', `Works once, within ${seconds} seconds, without a token. Click it.`);
  let isUsed = false;
  const use = async (event) => {
    if (!isUsed) {
      isUsed = true;
      return about.replaceChildren('Used. Click it again.');
    }
    event.preventDefault();
    const answer = await fetch(url);
    const { code } = await answer.json();
    about.replaceChildren(`The second use was refused: ${answer.status} ${code}`);
  };
  place.replaceChildren(h('a', { href: url, download: true, onclick: use }, `${url.slice(0, 40)}…`), about);
}
