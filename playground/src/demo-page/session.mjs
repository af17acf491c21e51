import { byId, call, controlAt } from '../pages/control.mjs';

/**
 * @typedef {{subject: string, name: string, about: string}} User
 * @typedef {{hirerId: string, name: string}} Hirer
 * @typedef {{requestId: string, status: number, durationMs: number, headers: Headers, body: any}} Answer its body is text
 *   if it is not JSON
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

/** Signs a demo user in, without a password, in place of the partner's own sign-in. */
export function signIn(/** @type {User} */ { subject }, sessionId = crypto.randomUUID()) {
  return send(`${config.issuerUrl}/demo/sign-in`, { sessionId, body: { subject } });
}

/**
 * Sends a JSON request with its own request id and measures it. Rejects if there is no answer.
 * @param {string} url
 * @param {{sessionId?: string, token?: string, headers?: Record<string, string>, body: unknown}} request
 * @returns {Promise<Answer>}
 */
export async function send(url, { sessionId = crypto.randomUUID(), token, headers, body }) {
  const requestId = crypto.randomUUID();
  const sent = {
    'Content-Type': 'application/json',
    'X-Request-Id': requestId,
    'X-Session-Id': sessionId,
    ...(token && { Authorization: `Bearer ${token}` }),
    ...headers,
  };
  const startedMs = performance.now();
  const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body) });
  const text = await response.text();
  const durationMs = Math.max(1, Math.round(performance.now() - startedMs));
  return { requestId, status: response.status, durationMs, headers: response.headers, body: parse(text) };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Sends GraphQL to the BFF as the chosen user, in a session of its own, and reads which calls that took.
 * @param {{headers?: Record<string, string>, body: unknown}[]} requests one after another
 */
export async function askBff(requests) {
  const { user, hirer } = readChoice();
  const sessionId = crypto.randomUUID();
  const token = (await signIn(user)).body.access_token;
  /** @type {Answer[]} */
  const answers = [];
  for (const { headers, body } of requests) {
    const request = { sessionId, token, headers: { 'X-Hirer-Id': hirer.hirerId, ...headers }, body };
    answers.push(await send('/graphql', request));
  }
  return { user, token, answers, calls: await readCalls(sessionId) };
}

/**
 * A call as the playground logged it.
 * @typedef {object} Call
 * @property {'issuer' | 'upstream'} listener
 * @property {string} route
 * @property {string} method
 * @property {string} path
 * @property {number | null} status null if there was no answer
 * @property {number} durationMs
 * @property {string | null} requestId
 * @property {string | null} acceptLanguage
 * @property {'none' | 'partner' | 'browser' | 'expired' | 'unknown'} token
 * @property {string[]} [codes] of GraphQL errors
 */

/**
 * The calls that the playground's listeners received in one session, oldest first.
 * @returns {Promise<Call[]>}
 */
export const readCalls = async (/** @type {string} */ sessionId) =>
  (await call(`calls?sessionId=${sessionId}`)).calls;

/** The code of a GraphQL answer's first error, or of a problem. */
export const codeOf = ({ body }) => body?.errors?.[0]?.extensions?.code ?? body?.code;
