import { drawAttachment } from './attachment-item.mjs';
import { h, jsonBlock } from '../../../pages/dom.mjs';

/** @import { User } from '../sign-in.mjs' */
/** @import { Answer, Call } from '../http.mjs' */
/** @import { Experiment } from './experiments.mjs' */
/** @typedef {(answers: Answer[], requests: Experiment['requests'], token: string) => HTMLElement[]} Drawing */

/**
 * Ways to show answers of `POST /graphql`, each as a list of elements.
 * @type {Record<Experiment['draw'], Drawing>}
 */
export const DRAWINGS = {
  positions: drawPositions,
  languages: drawLanguages,
  batch: drawBatch,
  attachments: drawAttachments,
};

/**
 * Shows that the BFF refused the whole request.
 * @param {Answer} answer
 * @param {User} user
 * @param {Call[]} calls
 */
export function drawRefusal({ status, body }, user, calls) {
  const code = body.errors?.[0]?.extensions?.code ?? body.code;
  return [
    h('p', { class: 'explanation', 'data-tone': 'bad' }, explainRefusal(status, code, user, calls)),
    jsonBlock(body, 'The answer'),
  ];
}

function explainRefusal(status, code, user, calls) {
  switch (code) {
    case 'FORBIDDEN':
      return calls.length === 0
        ? `${user.name} does not belong to this hirer, so the BFF made no call.`
        : 'The object belongs to another hirer. The BFF found that in the upstream’s answer and returned none of it.';
    case 'UNAUTHENTICATED':
      return 'The BFF does not accept this end-user token. If the playground was restarted, try again.';
    default:
      return `The BFF refused the request as a whole: ${status} ${code ?? ''}.`;
  }
}

/** @type {Drawing} */
function drawPositions(answers) {
  const { body } = only(answers);
  const openings = body.data?.positionOpenings.edges ?? [];
  const items = openings.map(({ node }) =>
    h(
      'li',
      {},
      node.paginatedPositionProfiles.edges[0]?.node.positionTitle,
      ' ',
      h('small', {}, node.statusCode),
    ),
  );
  return [
    ...explainErrors(body),
    h('ul', { class: 'positions', 'aria-label': 'Positions' }, items),
    h('details', {}, h('summary', {}, 'The whole answer'), jsonBlock(body, 'The answer')),
  ];
}

/** @type {Drawing} */
function drawLanguages(answers, requests) {
  const cards = answers.map(({ body, headers }, index) => {
    const asked = requests[index]?.headers?.['Accept-Language'];
    return h(
      'div',
      { class: 'language', lang: headers.get('content-language') ?? asked },
      h('p', { class: 'facts', lang: 'en' }, h('code', {}, asked)),
      h('p', { class: 'language-text' }, body.data?.location?.contextualName ?? '–'),
      h('p', {}, body.data?.jobCategory?.name ?? '–'),
    );
  });
  return [
    ...answers.slice(0, 1).flatMap(({ body }) => explainErrors(body)),
    h('div', { class: 'languages' }, cards),
  ];
}

/** @type {Drawing} */
function drawBatch(answers) {
  const { body } = only(answers);
  const items = body.map((item) => {
    const [error] = item.errors ?? [];
    return h(
      'li',
      { 'data-state': error ? 'failed' : 'passed' },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, error ? '✕' : '✓'),
      h('code', {}, error ? `${error.extensions?.code}: ${error.message}` : JSON.stringify(item.data)),
    );
  });
  return [h('ol', { class: 'batch', 'aria-label': 'Answers in the order of the requests' }, items)];
}

/** @type {Drawing} */
function drawAttachments(answers, _requests, token) {
  const { body } = only(answers);
  const found = findAttachments(body.data);
  if (found.length === 0) return [...explainErrors(body), jsonBlock(body, 'The answer')];
  return [
    h(
      'ul',
      { class: 'attachments' },
      found.map((attachment) => drawAttachment(attachment, token)),
    ),
  ];
}

/**
 * The answer of an experiment with one request.
 * @param {Answer[]} answers
 */
function only([answer]) {
  return /** @type {Answer} */ (answer);
}

/** Every attachment of an answer, at any depth. */
function findAttachments(value) {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof value.url === 'string' && value.url.includes('/attachments/')) return [value];
  return Object.values(value).flatMap(findAttachments);
}

function explainErrors({ errors = [] }) {
  return errors.map(({ message, extensions }) =>
    h('p', { class: 'explanation', 'data-tone': 'bad' }, `${extensions?.code ?? 'Error'}: ${message}`),
  );
}
