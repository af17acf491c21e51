import { startChoiceForm } from '../choice-form.mjs';
import { call } from '../../../pages/control.mjs';
import { h, jsonBlock } from '../../../pages/dom.mjs';
import { signIn } from '../sign-in.mjs';
import { clearRun, drawExperimentCard, showRun } from '../experiment-card.mjs';
import { explainOutcome, SCENARIOS } from './fault-scenarios.mjs';
import { readCalls, send } from '../http.mjs';
import { drawSequence } from '../sequence/sequence.mjs';
import { graphqlSteps } from '../sequence/steps.mjs';

/** @import { Config, Hirer, User } from '../sign-in.mjs' */
/** @import { Scenario } from './fault-scenarios.mjs' */

const TRIES_MAX = 10;
/** The request that the page sends during a failure. */
const detail = 'PositionOpenings';
const BODY = { documentId: detail, variables: { first: 3 } };

/**
 * Fills the failures tab: a card for each failure behind the BFF, of which one at a time shows what came of it.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Config} config
 */
export function startFaults(form, place, config) {
  const readChoice = startChoiceForm(form, config);
  const cards = SCENARIOS.map((scenario) => {
    const card = drawExperimentCard(scenario, form, () => {
      for (const other of cards) if (other !== card) clearRun(resultOf(other));
      const choice = readChoice();
      return inTurn(() => runScenario(scenario, config, choice));
    });
    return card;
  });
  place.append(h('div', { class: 'experiments' }, cards));
}

const resultOf = (card) => /** @type {HTMLElement} */ (card.querySelector('.result'));

let before = Promise.resolve();

/**
 * Runs something when the run before is over: a planned failure meets whichever call comes next.
 * @template T
 * @param {() => Promise<T>} run
 */
function inTurn(run) {
  const mine = before.then(run);
  const over = () => undefined;
  before = mine.then(over, over);
  return mine;
}

/**
 * Plans the fault once nothing of an earlier one is left, asks for data, and clears the fault.
 * @param {Scenario} scenario
 * @param {Config} config
 * @param {{user: User, hirer: Hirer}} choice
 */
async function runScenario(scenario, config, choice) {
  await recover(config, choice);
  for (const [control, body] of scenario.plan) await call(control, body);
  const { answer, calls } = await ask(config, choice).finally(() => call('faults', undefined, 'DELETE'));
  const recovery = h('div', { class: 'result' });
  const again = () => showRun(recovery, () => inTurn(() => askAgain(config, choice)));
  return [
    drawSequence(
      graphqlSteps({ answer, calls, detail, explanation: explainOutcome(scenario, answer, calls) }),
    ),
    h('details', {}, h('summary', {}, 'The answer'), jsonBlock(answer.body, `Answer: ${scenario.title}`)),
    h(
      'button',
      { type: 'button', class: 'secondary', onclick: again, 'aria-label': `Ask again: ${scenario.title}` },
      'Ask again',
    ),
    recovery,
  ];
}

async function askAgain(config, choice) {
  const { answer, calls } = await ask(config, choice);
  const wait = answer.headers.get('retry-after');
  const explanation = answer.body.errors
    ? `Not yet${wait === null ? '' : `: try again in ${wait} s`}. The BFF waits before it repeats a call that has just failed.`
    : 'Everything works again, without any intervention.';
  return [drawSequence(graphqlSteps({ answer, calls, detail, explanation }))];
}

/**
 * Asks for data as a page does, in a session of its own, and reads which calls that took.
 * @param {Config} config
 * @param {{user: User, hirer: Hirer}} choice
 */
async function ask(config, { user, hirer }) {
  const sessionId = crypto.randomUUID();
  const token = (await signIn(config, user, crypto.randomUUID())).body.access_token;
  const headers = { 'X-Hirer-Id': hirer.hirerId };
  const answer = await send('/graphql', { sessionId, token, headers, body: BODY });
  const calls = await readCalls(sessionId);
  return { answer, calls };
}

/** Asks until data come: after a failure the BFF spares issuer and upstream for a while. */
async function recover(config, choice) {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const { answer } = await ask(config, choice);
    const code = answer.body.errors?.[0]?.extensions?.code;
    if (code === undefined || code === 'FORBIDDEN') return;
    const seconds = Number(answer.headers.get('retry-after') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
