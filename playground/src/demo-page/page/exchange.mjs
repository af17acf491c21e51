import { readCalls, send } from './http.mjs';

/** Signs a demo user in, without a password. Stands in for whatever signs the partner's users in. */
export function signIn(config, user, sessionId) {
  return send(`${config.issuerUrl}/demo/sign-in`, { sessionId, body: { subject: user.subject } });
}

/**
 * Asks the BFF for a browser token as a page would, under a session of its own, then reads which calls that took.
 * @param choice user, hirer and scopes
 * @param signedIn the answer of an earlier sign-in, to ask again with the same end-user token
 */
export async function runExchange(config, choice, signedIn) {
  const sessionId = crypto.randomUUID();
  const session = signedIn ?? (await signIn(config, choice.user, sessionId));
  const answer = await send('/auth/token', {
    sessionId,
    token: session.body.access_token,
    body: { hirerId: choice.hirer.hirerId, scope: choice.scopes.join(' ') },
  });
  const calls = await readCalls(config.upstreamUrl, sessionId);
  return {
    ...choice,
    sessionId,
    signIn: session,
    signedInBefore: signedIn !== undefined,
    answer,
    /** The BFF's own calls: the browser's sign-in is told apart by its route. */
    bffCalls: calls.filter(({ route }) => route === 'oauth-token' || route === 'auth-token'),
  };
}
