import { h, shortId } from '../../../pages/dom.mjs';
import { PARTIES } from './steps.mjs';

/** @import { Arrow, Column, Note, Step } from './steps.mjs' */

const CHECK_MARKS = { passed: ['✓', 'yes'], failed: ['✕', 'no'], skipped: ['–', 'not asked'] };

/**
 * Draws steps between the four parties: lifelines and arrows on a wide screen, a list on a narrow one.
 * @param {Step[]} steps
 * @param {readonly Column[]} [parties]
 */
export function drawSequence(steps, parties = PARTIES) {
  return h(
    'div',
    { class: 'sequence' },
    h('ul', { class: 'parties', 'aria-label': 'Parties' }, parties.map(drawParty)),
    h(
      'ol',
      { class: 'steps', 'aria-label': 'Steps of the exchange' },
      steps.map((step) => drawStep(step, parties)),
    ),
  );
}

/**
 * One step as a list item.
 * @param {Step} step
 * @param {readonly Column[]} [parties]
 */
export function drawStep(step, parties = PARTIES) {
  return step.kind === 'note' ? drawNote(step, parties) : drawArrow(step, parties);
}

function drawParty({ name, role }) {
  return h('li', {}, h('strong', {}, name), h('span', {}, role));
}

/**
 * @param {Arrow} step
 * @param {readonly Column[]} parties
 */
function drawArrow({ kind, from, to, tone, title, detail, outcome, durationMs, requestId }, parties) {
  const left = Math.min(from, to);
  const right = Math.max(from, to);
  return h(
    'li',
    {
      class: `step ${kind}`,
      'data-span': `${left}-${right}`,
      'data-heading': from < to ? 'right' : 'left',
      'data-tone': tone,
    },
    h(
      'div',
      { class: 'message' },
      h('p', { class: 'way' }, `${parties[from]?.name} → ${parties[to]?.name}`),
      h('p', { class: 'title' }, title),
      h('div', { class: 'line' }),
      h(
        'p',
        { class: 'facts' },
        outcome && h('span', { class: 'outcome' }, outcome),
        durationMs !== undefined && h('span', {}, `${durationMs} ms`),
        detail && h('span', {}, detail),
        requestId && drawRequestId(requestId),
      ),
    ),
  );
}

function drawRequestId(requestId) {
  return h('code', { class: 'request-id', title: `X-Request-Id: ${requestId}` }, shortId(requestId));
}

/**
 * @param {Note} step
 * @param {readonly Column[]} parties
 */
function drawNote({ at, tone, title, lines = [], checks = [] }, parties) {
  return h(
    'li',
    { class: 'step note', 'data-at': at, 'data-tone': tone },
    h(
      'div',
      { class: 'message' },
      h('p', { class: 'way' }, parties[at]?.name),
      h('p', { class: 'title' }, title),
      lines.map((line) => h('p', { class: 'facts' }, line)),
      checks.length > 0 && h('ul', { class: 'checks' }, checks.map(drawCheck)),
    ),
  );
}

function drawCheck({ text, state }) {
  const [mark, meaning] = CHECK_MARKS[state];
  return h(
    'li',
    { 'data-state': state },
    h('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
    h('span', {}, text, h('span', { class: 'unseen' }, ` ${meaning}`)),
  );
}
