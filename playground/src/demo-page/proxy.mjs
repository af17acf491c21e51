import { createAttachmentLink, downloadAttachment } from '/client/attachments.js';
import { batch, execute } from '/client/client.js';
import { byId } from '../pages/control.mjs';
import { button, h, jsonBlock } from '../pages/dom.mjs';
import { drawCard, fold } from './card.mjs';
import { drawGraphql } from './sequence.mjs';
import { askBff, readChoice } from './session.mjs';

/** @import { Bff, Operation } from '/client/client.js' */
/**
 * Operations that the BFF is asked for, several as one batch, and how the answers are shown.
 * @typedef {object} Experiment
 * @property {string} title
 * @property {string} about
 * @property {Operation<any>[]} operations
 * @property {(results: any, bff: Bff) => (HTMLElement | string)[]} draw
 */

const PLACE = 'seekAnzPublicTest:location:seek:6CpLz7VsM';
const APPLICATION = 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex';

/** @type {Experiment[]} */
const EXPERIMENTS = [
  {
    title: 'A registered operation',
    about:
      'Positions need the partner token, which gives access to every hirer. So the page sends a name instead of a query: the BFF holds the text and sets the hirer itself.',
    operations: [{ documentId: 'PositionOpenings', variables: { first: 3 } }],
    draw: drawPositions,
  },
  {
    title: 'A batch in which one fails',
    about:
      'Three operations in one request. The second reads an application, which a browser token cannot access. The other two are unaffected.',
    operations: [
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
    draw: drawBatch,
  },
  {
    title: 'An attachment',
    about:
      'Files are stored at the upstream. The page gets sealed addresses instead: each works for this user, through the BFF, for 15 minutes. A one-use link is for <a href> and viewers, which cannot send a token. This application belongs to Banksia; with another hirer nothing is returned.',
    operations: [{ documentId: 'Application', variables: { id: APPLICATION } }],
    draw: drawAttachments,
  },
];

/** Fills the second step: a card for each experiment. */
export function startProxy() {
  byId('experiments').append(...EXPERIMENTS.map((experiment) => drawCard(experiment, () => run(experiment))));
}

async function run(/** @type {Experiment} */ { operations, draw }) {
  const [operation = { query: '' }] = operations;
  const via = /** @type {const} */ ('service');
  const { bff, result, answer, calls } = await askBff((own) =>
    operations.length > 1
      ? batch(own, operations, { via })
      : execute(own, operation, { via }).then((one) => [one]),
  );
  const refused = answer.status !== 200;
  const drawn = refused ? drawRefusal(answer.body, result[0]?.error?.code, calls) : draw(result, bff);
  return [...drawn, drawGraphql({ answer, calls, detail: operation.documentId })];
}

function drawRefusal(body, code, calls) {
  const about = explainRefusal(code, calls);
  return [h('p.explanation', { 'data-tone': 'bad' }, about), jsonBlock(body, 'The answer')];
}

function explainRefusal(code, calls) {
  if (code !== 'FORBIDDEN') return `The BFF refused the request as a whole: ${code}.`;
  return calls.length === 0
    ? `${readChoice().user.name} does not belong to this hirer, so the BFF made no call.`
    : 'The object belongs to another hirer. The BFF found that in the upstream’s answer and returned none of it.';
}

function drawPositions([{ data, error }]) {
  const openings = data?.positionOpenings.edges ?? [];
  const items = openings.map(({ node: { statusCode, paginatedPositionProfiles } }) =>
    h('li', paginatedPositionProfiles.edges[0]?.node.positionTitle, ' ', h('small', statusCode)),
  );
  return [
    drawError(error),
    h('ul', { 'aria-label': 'Positions' }, items),
    fold('The data', jsonBlock(data, 'The data')),
  ];
}

function drawBatch(results) {
  const items = results.map(({ data, error }) =>
    h(
      'li',
      { 'data-tone': error ? 'bad' : 'good' },
      h('span.outcome', error ? '✕' : '✓'),
      h('code', error ? `${error.code}: ${error.message}` : JSON.stringify(data)),
    ),
  );
  return [h('ol.rows', { 'aria-label': 'Answers in the order of the requests' }, items)];
}

const drawError = (error) =>
  error ? h('p.explanation', { 'data-tone': 'bad' }, `${error.code}: ${error.message}`) : '';

function drawAttachments([{ data, error }], bff) {
  const rows = data?.candidateProfile?.attachments.map((attachment) => drawAttachment(attachment, bff));
  return [drawError(error), h('ul.rows', rows)];
}

/** A file behind a sealed address, to download with the user's token or through a one-use link without it. */
function drawAttachment({ seekRoleCode: name = 'Attachment', url }, bff) {
  const about = h('p.facts', `${url.slice(0, 60)}…`);
  const show = (...shown) => about.replaceChildren(...shown);
  const run = (title, label, act) =>
    button(title, () => act(bff, url).then(show, ({ message }) => show(message)), label);
  return h(
    'li',
    h('strong', name),
    run('Download', `Download ${name}`, download),
    run('One-use link', `Create a one-use link: ${name}`, createLink),
    about,
  );
}

/** Has the browser save a file. A plain link is not enough, as the request needs the user's token. */
async function download(bff, url) {
  const { fileName, blob } = await downloadAttachment(bff, url);
  const href = URL.createObjectURL(blob);
  h('a', { href, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return `${fileName}, ${Math.ceil(blob.size / 1_000)} kB`;
}

/** A link that the browser follows by itself: no token is needed. */
async function createLink(bff, path) {
  const { url, expiresIn } = await createAttachmentLink(bff, path);
  const text = `${new URL(url).pathname.slice(0, 40)}…`;
  return h(
    'span',
    h('a', { href: url, download: true }, text),
    h('small', ` works once, within ${expiresIn} s`),
  );
}
