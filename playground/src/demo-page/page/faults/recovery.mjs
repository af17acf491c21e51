import { h } from '../dom.mjs';

/** @import { Answer, Call } from '../http.mjs' */

/** How long the BFF may spare issuer and upstream after a failure. */
const RECOVERY_MS = 40_000;
/** A partner token that replaced a refused one is kept for five seconds, whatever the upstream says of it. */
const KEPT_MS = 5_500;

let before = Promise.resolve();
/** Runs that are not over. */
let unfinished = 0;
/** When a partner token was last replaced, as far as this page knows. */
let replacedMs = -Infinity;

/**
 * Runs what plans a failure when the run before is over: a planned failure meets whichever call comes next.
 * @template T
 * @param {() => Promise<T>} run
 * @param {(shown: Node) => void} tell
 * @returns {Promise<T>}
 */
export function inTurn(run, tell) {
  if (unfinished > 0) tell(said('Waiting for the run before this one…'));
  unfinished += 1;
  const mine = before.then(() => {
    tell(said('Running…'));
    return run();
  });
  const over = () => void (unfinished -= 1);
  before = mine.then(over, over);
  return mine;
}

/** @param {string} text */
function said(text) {
  return h('p', { class: 'facts' }, text);
}

/**
 * Notes whether the calls of a request replaced the partner token.
 * @param {Call[]} calls
 */
export function noteCalls(calls) {
  if (calls.some(({ listener }) => listener === 'issuer')) replacedMs = performance.now();
}

/**
 * Waits until nothing of an earlier failure is left that would change what the next one shows.
 * @param {() => Promise<{answer: Answer}>} ask for data
 * @param {boolean} needsNewToken whether the next failure takes a replacement of the partner token
 * @param {(shown: Node) => void} tell
 */
export async function recover(ask, needsNewToken, tell) {
  const endMs = performance.now() + RECOVERY_MS;
  for (let seconds = await secondsToWait(ask); seconds > 0; seconds = await secondsToWait(ask)) {
    if (performance.now() > endMs) return;
    replacedMs = performance.now();
    await wait(seconds * 1000, 'The BFF still spares issuer and upstream after the failure before', tell);
  }
  const keptMs = replacedMs + KEPT_MS - performance.now();
  if (needsNewToken && keptMs > 0) {
    await wait(
      keptMs,
      'The BFF replaced the partner token a moment ago, and keeps it for five seconds',
      tell,
    );
  }
}

/** 0 if data come; a refusal of this user is not one that passes. */
async function secondsToWait(ask) {
  const { answer } = await ask();
  const [error] = answer.body.errors ?? [];
  if (error === undefined || error.extensions?.code === 'FORBIDDEN') return 0;
  return Number(answer.headers.get('retry-after') ?? 1);
}

async function wait(ms, why, tell) {
  tell(said(`${why}. This goes on in ${Math.ceil(ms / 1000)} s.`));
  await new Promise((resolve) => setTimeout(resolve, ms));
}
