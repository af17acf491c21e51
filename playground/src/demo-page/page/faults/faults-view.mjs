import { startChoiceForm } from '../choice-form.mjs';
import { control } from '../demo-controls.mjs';
import { h, jsonBlock } from '../dom.mjs';
import { signIn } from '../sign-in.mjs';
import { drawExperimentCard, showRun } from '../experiment-card.mjs';
import { explainOutcome, SCENARIOS } from './fault-scenarios.mjs';
import { faultSteps } from './fault-steps.mjs';
import { inTurn, noteCalls, recover } from './recovery.mjs';
import { readCalls, send } from '../http.mjs';
import { drawSequence } from '../sequence/sequence.mjs';

/** @import { Config, Hirer, User } from '../sign-in.mjs' */
/** @import { Scenario } from './fault-scenarios.mjs' */

/** The request that the page sends during a failure. */
const BODY = { documentId: 'PositionOpenings', variables: { first: 3 } };

/**
 * Fills the failures tab: a card for each failure behind the BFF.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Config} config
 */
export function startFaults(form, place, config) {
  const readChoice = startChoiceForm(form, config);
  const cards = SCENARIOS.map((scenario) =>
    drawExperimentCard(scenario, form, (tell) => {
      const choice = readChoice();
      return inTurn(() => runScenario(scenario, config, choice, tell), tell);
    }),
  );
  place.append(h('div', { class: 'experiments' }, cards));
}

/**
 * Plans the fault once nothing of an earlier one is left, asks for data, and clears the fault.
 * @param {Scenario} scenario
 * @param {Config} config
 * @param {{user: User, hirer: Hirer}} choice
 * @param {(shown: Node) => void} tell
 */
async function runScenario(scenario, config, choice, tell) {
  await recover(() => ask(config, choice), scenario.refusesToken ?? false, tell);
  await control('faults', { name: scenario.id });
  const { answer, calls } = await ask(config, choice).finally(() => control('faults/clear'));
  const recovery = h('div', { class: 'result' });
  const again = () => showRun(recovery, (tell) => inTurn(() => askAgain(config, choice), tell));
  return [
    drawSequence(faultSteps(answer, calls, explainOutcome(scenario, answer, calls))),
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
  return [drawSequence(faultSteps(answer, calls, explanation))];
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
  const calls = await readCalls(config.upstreamUrl, sessionId);
  noteCalls(calls);
  return { answer, calls };
}
