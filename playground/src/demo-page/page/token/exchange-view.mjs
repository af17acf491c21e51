import { drawAnswer } from './answer-view.mjs';
import { h } from '../../../pages/dom.mjs';
import { runExchange } from './exchange.mjs';
import { drawSequence, drawStep } from '../sequence/sequence.mjs';
import { OUTLINE, stepsOf, useStep } from './token-steps.mjs';
import { drawUse } from './use-view.mjs';

/** @import { Choice, Exchange } from './exchange.mjs' */
/** @import { Config } from '../sign-in.mjs' */
/** @import { Answer } from '../http.mjs' */

const LEGEND =
  'Calls of the BFF are from the emulator’s log, those of the browser are measured by this page. What the BFF checked follows from its answer. The short codes are request ids.';

/**
 * Runs an exchange each time the form is submitted, and shows its steps.
 * @param {HTMLElement} place
 * @param {HTMLFormElement} form
 * @param {Config} config
 * @param {() => Choice} readChoice
 */
export function startExchanges(place, form, config, readChoice) {
  const summary = h('p', { class: 'summary', role: 'status', 'aria-live': 'polite' });
  const ask = h('button', { type: 'submit', form: form.id, class: 'primary' }, 'Get a token');
  const again = h('button', { type: 'button', class: 'secondary', hidden: true }, 'Ask again');
  const stage = h('div', { class: 'stage' });
  const buttons = h('div', { class: 'buttons' }, again, ask);
  place.append(h('div', { class: 'summary-line' }, summary, buttons), stage);

  /** @type {Exchange | undefined} */
  let last;
  /** Counts what makes an earlier run's result untrue. */
  let turn = 0;
  const showOutline = () => {
    turn += 1;
    last = undefined;
    again.hidden = true;
    delete place.dataset.tone;
    place.removeAttribute('aria-busy');
    summary.textContent = 'These are the steps. Press the button to run them.';
    stage.replaceChildren(h('div', { class: 'outline' }, drawSequence(OUTLINE)));
  };
  showOutline();
  /**
   * @param {Choice} choice
   * @param {Answer} [signedIn]
   */
  const run = async (choice, signedIn) => {
    turn += 1;
    const mine = turn;
    place.setAttribute('aria-busy', 'true');
    try {
      const exchange = await runExchange(config, choice, signedIn);
      if (turn !== mine) return;
      summary.replaceChildren(...summarise(exchange));
      place.dataset.tone = exchange.answer.status === 200 ? 'good' : 'bad';
      stage.replaceChildren(...drawExchange(config, exchange));
      last = exchange;
      again.hidden = false;
      bringIntoView(place);
      place.dispatchEvent(new Event('ran', { bubbles: true }));
    } catch {
      if (turn !== mine) return;
      place.dataset.tone = 'bad';
      summary.textContent = 'There was no answer. Is the playground still running? Look at its terminal.';
    }
    place.removeAttribute('aria-busy');
  };
  form.addEventListener('choice', showOutline);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(readChoice());
  });
  again.addEventListener('click', () => {
    if (last) void run({ user: last.user, hirer: last.hirer, scopes: last.scopes }, last.signIn);
  });
}

/** On a narrow screen the result is below the form. */
function bringIntoView(place) {
  if (place.getBoundingClientRect().top > innerHeight / 2) place.scrollIntoView();
}

function drawExchange(config, exchange) {
  const sequence = drawSequence(stepsOf(exchange));
  const onUse = (operation, answer) =>
    sequence.querySelector('.steps')?.append(drawStep(useStep(operation, answer)));
  return [
    sequence,
    h('p', { class: 'legend' }, LEGEND),
    drawAnswer(exchange),
    ...(exchange.answer.status === 200 ? [drawUse(config, exchange, onUse)] : []),
  ];
}

/**
 * The outcome in a sentence or two.
 * @param {Exchange} exchange
 */
function summarise({ user, hirer, answer, bffCalls }) {
  const count = bffCalls.length === 1 ? 'one call' : `${bffCalls.length} calls`;
  const took = `${answer.durationMs} ms`;
  if (answer.status !== 200) {
    const made = bffCalls.length === 0 ? 'before any call was made' : `after ${count}`;
    return [h('strong', {}, `Refused ${made}.`), ` ${answer.status} ${answer.body.code ?? ''}, in ${took}.`];
  }
  if (bffCalls.length > 0) {
    return [
      h('strong', {}, `${user.name} got a token for ${hirer.name}.`),
      ` The BFF made ${count}, in ${took}.`,
    ];
  }
  return [
    h('strong', {}, 'The same token as before, from the cache.'),
    ` Answered in ${took}, with no upstream call.`,
  ];
}
