import { call } from '../../pages/control.mjs';

/**
 * @typedef {object} Answer
 * @property {string} requestId
 * @property {number} status
 * @property {number} durationMs
 * @property {Headers} headers
 * @property {any} body text if the answer is not JSON
 */

/**
 * A call as the playground logged it.
 * @typedef {object} Call
 * @property {string} listener
 * @property {string} route
 * @property {string} method
 * @property {string} path
 * @property {number | null} status null if there was no answer
 * @property {number} durationMs
 * @property {string | null} requestId
 * @property {string | null} acceptLanguage
 * @property {'none' | 'partner' | 'browser' | 'expired' | 'unknown'} token
 * @property {string[]} [fields]
 * @property {string[]} [codes] of GraphQL errors
 */

/**
 * Sends a JSON request with its own request id and measures it. Rejects if there is no answer.
 * @param {string} url
 * @param {{sessionId: string, token?: string, headers?: Record<string, string>, body: unknown}} request
 * @returns {Promise<Answer>}
 */
export async function send(url, { sessionId, token, headers = {}, body }) {
  const requestId = crypto.randomUUID();
  const startedAtMs = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      'X-Session-Id': sessionId,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const durationMs = Math.max(1, Math.round(performance.now() - startedAtMs));
  return { requestId, status: response.status, durationMs, headers: response.headers, body: parse(text) };
}

/**
 * The calls that the playground's listeners received in one session, oldest first.
 * @param {string} sessionId
 * @returns {Promise<Call[]>}
 */
export const readCalls = async (sessionId) => (await call(`calls?sessionId=${sessionId}`)).calls;

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
