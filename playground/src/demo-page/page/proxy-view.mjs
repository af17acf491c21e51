import { h, jsonBlock } from './dom.mjs';
import { signIn } from './exchange.mjs';
import { EXPERIMENTS } from './experiments.mjs';
import { readCalls, send } from './http.mjs';
import { DRAWINGS, drawRefusal } from './proxy-answers.mjs';
import { drawCalls } from './proxy-calls.mjs';

/** @import { Config, User } from './exchange.mjs' */
/** @import { Experiment } from './experiments.mjs' */

/**
 * Fills the proxy tab: a choice of user and hirer, and a card for each experiment.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Config} config
 */
export function startProxy(form, place, config) {
  form.append(
    select('user', 'User', config.users, ({ subject, name }) => [subject, name]),
    select('hirer', 'Hirer', config.hirers, ({ hirerId, name }) => [hirerId, name]),
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  const readChoice = () => {
    const data = new FormData(form);
    return /** @type {{user: User, hirerId: string}} */ ({
      user: config.users.find(({ subject }) => subject === data.get('user')),
      hirerId: data.get('hirer'),
    });
  };
  place.append(...EXPERIMENTS.map((experiment) => drawExperiment(experiment, config, readChoice)));
}

function select(name, label, items, optionOf) {
  const options = items.map(optionOf).map(([value, text]) => h('option', { value }, text));
  return h('label', {}, label, h('select', { name }, options));
}

/**
 * @param {Experiment} experiment
 * @param {Config} config
 * @param {() => {user: User, hirerId: string}} readChoice
 */
function drawExperiment(experiment, config, readChoice) {
  const result = h('div', { class: 'result', role: 'status', 'aria-live': 'polite' });
  const run = async () => {
    result.setAttribute('aria-busy', 'true');
    try {
      result.replaceChildren(...(await runExperiment(experiment, config, readChoice())));
    } catch {
      result.replaceChildren(
        h('p', { class: 'explanation' }, 'There was no answer. Is the playground still running?'),
      );
    } finally {
      result.removeAttribute('aria-busy');
    }
  };
  const { id, title, about, requests } = experiment;
  return h(
    'section',
    { class: 'card experiment', 'aria-labelledby': `experiment-${id}` },
    h(
      'div',
      { class: 'experiment-head' },
      h('h2', { id: `experiment-${id}` }, title),
      h('button', { type: 'button', class: 'secondary', 'aria-label': `Run: ${title}`, onclick: run }, 'Run'),
    ),
    h('p', { class: 'explanation' }, about),
    h(
      'details',
      {},
      h('summary', {}, 'What the page sends'),
      jsonBlock(requests[0]?.body, `Request: ${title}`),
    ),
    result,
  );
}

/**
 * @param {Experiment} experiment
 * @param {Config} config
 * @param {{user: User, hirerId: string}} choice
 */
async function runExperiment({ requests, draw }, config, { user, hirerId }) {
  const sessionId = crypto.randomUUID();
  const token = (await signIn(config, user, crypto.randomUUID())).body.access_token;
  const answers = [];
  for (const { headers, body } of requests) {
    answers.push(
      await send('/graphql', { sessionId, token, headers: { 'X-Hirer-Id': hirerId, ...headers }, body }),
    );
  }
  const calls = await readCalls(config.upstreamUrl, sessionId);
  const refused = answers.find(({ status }) => status !== 200);
  const drawn = refused ? drawRefusal(refused, user, calls) : DRAWINGS[draw](answers, requests, token);
  return [...drawn, drawCalls(answers, calls)];
}
