let origin = '';

/** Sets the address of the playground, for a page that another server has. */
export function controlAt(/** @type {string} */ url) {
  origin = url;
}

/**
 * Calls a control route of the playground.
 * @param {string} control
 * @param {object} [body] sent as JSON; without it the route is read
 * @param {string} [method]
 * @returns {Promise<any>}
 * @throws Error whose message is for people
 */
export async function call(control, body, method = body === undefined ? 'GET' : 'POST') {
  const headers = { 'Content-Type': 'application/json' };
  const sent = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${origin}/playground/${control}`, sent).catch(() => {
    throw new Error('The playground does not answer. Is it still running?');
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/**
 * An element of index.html.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);
