import { readCalls, send } from '../http.mjs';
import { signIn } from '../sign-in.mjs';

/** @import { Answer, Call } from '../http.mjs' */
/** @import { Config, Hirer, User } from '../sign-in.mjs' */

/** @typedef {{user: User, hirer: Hirer, scopes: string[]}} Choice */
/** @typedef {{sessionId: string, signIn: Answer, signedInBefore: boolean, answer: Answer, bffCalls: Call[]}} Course */
/** @typedef {Choice & Course} Exchange */

/**
 * Requests a browser token from the BFF as a page would, in a session of its own, then reads which calls that took.
 * @param {Config} config
 * @param {Choice} choice
 * @param {Answer} [signedIn] the answer of an earlier sign-in, to reuse its end-user token
 * @returns {Promise<Exchange>}
 */
export async function runExchange(config, choice, signedIn) {
  const sessionId = crypto.randomUUID();
  const session = signedIn ?? (await signIn(config, choice.user, sessionId));
  const answer = await send('/auth/token', {
    sessionId,
    token: session.body.access_token,
    body: { hirerId: choice.hirer.hirerId, scope: choice.scopes.join(' ') },
  });
  const calls = await readCalls(sessionId);
  return {
    ...choice,
    sessionId,
    signIn: session,
    signedInBefore: signedIn !== undefined,
    answer,
    // Without the browser's own sign-in, which has another route.
    bffCalls: calls.filter(({ route }) => route === 'oauth-token' || route === 'auth-token'),
  };
}
