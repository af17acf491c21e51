import { drawAnswer, drawClaims } from './answer-view.mjs';
import { h } from './dom.mjs';
import { runExchange } from './exchange.mjs';
import { drawSequence, drawStep } from './sequence.mjs';
import { OUTLINE, stepsOf, useStep } from './steps.mjs';
import { drawUse } from './use-view.mjs';

const LEGEND =
  'The BFF’s calls are as the emulator logged them, the browser’s as this page measured them. What the BFF checked follows from its answer. The short codes are request ids.';

/** Runs an exchange at each press of the form's button, and shows how it went. */
export function startExchanges(place, form, config, readChoice) {
  const summary = h('p', { class: 'summary', role: 'status', 'aria-live': 'polite' });
  const ask = h('button', { type: 'submit', form: form.id, class: 'primary' }, 'Get a token');
  const again = h('button', { type: 'button', class: 'secondary', hidden: true }, 'Ask again');
  const stage = h('div', { class: 'stage' }, h('div', { class: 'outline' }, drawSequence(OUTLINE)));
  place.append(
    h('div', { class: 'summary-line' }, summary, h('div', { class: 'buttons' }, again, ask)),
    stage,
  );
  summary.textContent = 'This is how it goes. Press the button to see it happen.';

  let last;
  const run = async (choice, signedIn) => {
    place.setAttribute('aria-busy', 'true');
    try {
      const exchange = await runExchange(config, choice, signedIn);
      summary.replaceChildren(...summarise(exchange));
      place.dataset.tone = exchange.answer.status === 200 ? 'good' : 'bad';
      stage.replaceChildren(...drawExchange(config, exchange));
      last = exchange;
      again.hidden = false;
      bringIntoView(place);
    } catch {
      place.dataset.tone = 'bad';
      summary.textContent = 'No answer came. Is the playground still running? Look at its terminal.';
    } finally {
      place.removeAttribute('aria-busy');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(readChoice());
  });
  again.addEventListener('click', () => {
    const { user, hirer, scopes, signIn } = last;
    void run({ user, hirer, scopes }, signIn);
  });
}

/** On a narrow screen the result stands below the form. */
function bringIntoView(place) {
  if (place.getBoundingClientRect().top > innerHeight / 2) place.scrollIntoView();
}

function drawExchange(config, exchange) {
  const sequence = drawSequence(stepsOf(exchange));
  const steps = sequence.querySelector('.steps');
  const onUse = (operation, answer) => steps.append(drawStep(useStep(operation, answer)));
  return [
    sequence,
    h('p', { class: 'legend' }, LEGEND),
    drawAnswer(exchange),
    ...(exchange.answer.status === 200 ? [drawUse(config, exchange, onUse)] : []),
    drawClaims(exchange),
  ];
}

/** The outcome in a sentence or two. */
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
  return [h('strong', {}, 'The same token as before, from the cache.'), ` The BFF made no call, in ${took}.`];
}
