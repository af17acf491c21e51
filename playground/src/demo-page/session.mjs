import { Bff } from '/client/client.js';
import { byId, call, controlAt } from '../pages/control.mjs';

/** @import { Call } from '../http/call-log.js' */

/**
 * @typedef {{subject: string, name: string, about: string}} User
 * @typedef {{hirerId: string, name: string}} Hirer
 * @typedef {{path: string, requestId: string, status: number, durationMs: number, headers: Headers, body: any}} Answer
 *   an answer to this page; its body is undefined if it is not JSON
 * @typedef {{bff: Bff, answers: Answer[]}} Session
 */

const response = await fetch('/demo/config.json');
/** @type {{upstreamUrl: string, issuerUrl: string, opsUrl: string, users: User[], hirers: Hirer[], scopes: string[]}} */
export const config = await response.json();
controlAt(config.upstreamUrl);

/** Shows that a hirer that does not exist is answered like one that the user cannot access. */
export const MISSING_HIRER = {
  hirerId: 'seekAnzPublicTest:organization:seek:1NoSuch1',
  name: 'A hirer that does not exist',
};
const HIRERS = [...config.hirers, MISSING_HIRER];

/** Fills the form of all steps. The document is told of each other choice: results shown are those of the one before. */
export function startChoice() {
  const { user, hirer } = byId('choice').elements;
  user.append(...config.users.map(({ subject, name }) => new Option(name, subject)));
  hirer.append(...HIRERS.map(({ hirerId, name }) => new Option(name, hirerId)));
  const describe = () => (byId('about').textContent = readChoice().user.about);
  describe();
  document.addEventListener('change', ({ target }) => {
    if (/** @type {HTMLInputElement} */ (target).form !== byId('choice')) return;
    describe();
    document.dispatchEvent(new Event('choice'));
  });
}

/**
 * Who asks, for which hirer, and with which scopes.
 * @returns {{user: User, hirer: Hirer, scopes: string[]}}
 */
export function readChoice() {
  const data = new FormData(byId('choice'));
  return /** @type {any} */ ({
    user: config.users.find(({ subject }) => subject === data.get('user')),
    hirer: HIRERS.find(({ hirerId }) => hirerId === data.get('hirer')),
    scopes: data.getAll('scope'),
  });
}

/**
 * A session of the chosen user with the chosen hirer, as a page of a partner has it. Each answer is kept.
 * @param {string} [userToken] of an earlier sign-in; without it, the first request signs in
 * @returns {Session}
 */
export function openSession(userToken) {
  const { user, hirer } = readChoice();
  const sessionId = crypto.randomUUID();
  /** @type {Answer[]} */
  const answers = [];
  const fetchAndKeep = async (url, init) => {
    const startedMs = performance.now();
    const response = await fetch(url, init);
    const { headers, status } = response;
    if (headers.get('content-type') === 'text/event-stream') return response; // has no end
    const body = await response
      .clone()
      .json()
      .catch(() => undefined);
    const durationMs = Math.max(1, Math.round(performance.now() - startedMs));
    const requestId = init.headers['X-Request-Id'];
    answers.push({ path: new URL(url).pathname, requestId, status, durationMs, headers, body });
    return response;
  };
  const getUserToken = async ({ refresh }) => {
    if (userToken === undefined || refresh) userToken = await signIn(user, sessionId, fetchAndKeep);
    return /** @type {string} */ (userToken);
  };
  const { upstreamUrl } = config;
  const options = { url: location.origin, upstreamUrl, hirerId: hirer.hirerId, sessionId };
  return { bff: new Bff({ ...options, getUserToken, fetch: fetchAndKeep }), answers };
}

/** Signs a demo user in, without a password, in place of the partner's own sign-in. */
async function signIn(/** @type {User} */ { subject }, sessionId, fetch) {
  const ids = { 'X-Request-Id': crypto.randomUUID(), 'X-Session-Id': sessionId };
  const response = await fetch(`${config.issuerUrl}/demo/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...ids },
    body: JSON.stringify({ subject }),
  });
  return (await response.json()).access_token;
}

/**
 * The calls of the BFF that the playground's listeners received in one session, oldest first.
 * @returns {Promise<Call[]>}
 */
export async function readCalls(/** @type {Bff} */ { sessionId }) {
  const { calls } = await call(`calls?sessionId=${sessionId}`);
  return calls.filter(({ route }) => route !== 'sign-in');
}

/**
 * Asks the BFF in a session of its own, and reads which calls that took.
 * @template Result
 * @param {(bff: Bff) => Promise<Result>} ask
 */
export async function askBff(ask) {
  const { bff, answers } = openSession();
  const result = await ask(bff);
  const answer = /** @type {Answer} */ (answers.at(-1));
  return { bff, result, answer, calls: await readCalls(bff) };
}

/** The code of a GraphQL answer's first error, or of a problem. */
export const codeOf = ({ body }) => body?.errors?.[0]?.extensions?.code ?? body?.code;
