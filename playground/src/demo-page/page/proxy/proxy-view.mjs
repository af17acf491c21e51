import { startChoiceForm } from '../choice-form.mjs';
import { signIn } from '../sign-in.mjs';
import { drawExperimentCard } from '../experiment-card.mjs';
import { EXPERIMENTS } from './experiments.mjs';
import { readCalls, send } from '../http.mjs';
import { DRAWINGS, drawRefusal } from './proxy-answers.mjs';
import { drawSequence } from '../sequence/sequence.mjs';
import { graphqlSteps } from '../sequence/steps.mjs';

/** @import { Config, Hirer, User } from '../sign-in.mjs' */
/** @import { Experiment } from './experiments.mjs' */
/** @import { Answer } from '../http.mjs' */

/**
 * Fills the proxy tab: a choice of user and hirer, and a card for each experiment.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Config} config
 */
export function startProxy(form, place, config) {
  const readChoice = startChoiceForm(form, config);
  const cards = EXPERIMENTS.map((experiment) =>
    drawExperimentCard({ ...experiment, sent: experiment.requests[0]?.body }, form, () =>
      runExperiment(experiment, config, readChoice()),
    ),
  );
  place.append(...cards);
}

/**
 * @param {Experiment} experiment
 * @param {Config} config
 * @param {{user: User, hirer: Hirer}} choice
 */
async function runExperiment({ requests, draw }, config, { user, hirer }) {
  const sessionId = crypto.randomUUID();
  const token = (await signIn(config, user, crypto.randomUUID())).body.access_token;
  const answers = [];
  for (const { headers, body } of requests) {
    answers.push(
      await send('/graphql', {
        sessionId,
        token,
        headers: { 'X-Hirer-Id': hirer.hirerId, ...headers },
        body,
      }),
    );
  }
  const calls = await readCalls(sessionId);
  const refused = answers.find(({ status }) => status !== 200);
  const drawn = refused ? drawRefusal(refused, user, calls) : DRAWINGS[draw](answers, requests, token);
  const answer = /** @type {Answer} */ (refused ?? answers[0]);
  const durationMs = answers.reduce((sum, one) => sum + one.durationMs, 0);
  const detail =
    requests.length > 1 ? `${requests.length} requests` : /** @type {any} */ (requests[0]?.body).documentId;
  return [...drawn, drawSequence(graphqlSteps({ answer: { ...answer, durationMs }, calls, detail }))];
}
