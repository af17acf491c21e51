/**
 * The stations that an event has reached.
 * @typedef {object} Whereabouts
 * @property {{requestId: string, statusCode: number, latencyMs: number | null}[]} requests webhook requests with it
 * @property {{receivedMs: number, verified: boolean, isRepeat: boolean}[]} deliveries to the playground's sink
 */

const POLL_MS = 120;

/**
 * Calls a control of the playground.
 * @param {'happenings' | 'happenings/again' | 'faults' | 'faults/clear'} control
 * @param {object} [body]
 */
export async function control(control, body = {}) {
  const response = await fetch(`/demo/${control}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.json()).message);
  return response.json();
}

/**
 * @param {string} eventId
 * @returns {Promise<Whereabouts>}
 */
export async function findEvent(eventId) {
  return (await fetch(`/demo/events/${encodeURIComponent(eventId)}`)).json();
}

/**
 * Polls an event until it has arrived, or the time is up.
 * @param {string} eventId
 * @param {(found: Whereabouts) => boolean} isThere
 * @param {number} atMostMs
 * @param {(found: Whereabouts) => void} [onLook]
 * @returns {Promise<Whereabouts>} the last state seen
 */
export async function followEvent(eventId, isThere, atMostMs, onLook) {
  const endMs = performance.now() + atMostMs;
  for (;;) {
    const found = await findEvent(eventId);
    onLook?.(found);
    if (isThere(found) || performance.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
