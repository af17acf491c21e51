/**
 * Sends a JSON request under a request id of its own and measures it. Rejects when no answer came.
 * @returns {Promise<{requestId: string, status: number, durationMs: number, headers: Headers, body: unknown}>} `body`
 *   is text where the answer is no JSON
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

/** What the playground's listeners saw under one session, oldest first. */
export async function readCalls(upstreamUrl, sessionId) {
  const response = await fetch(`${upstreamUrl}/playground/calls?sessionId=${sessionId}`);
  return (await response.json()).calls;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
