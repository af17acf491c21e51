/**
 * How far an event has come.
 * @typedef {object} Whereabouts
 * @property {{requestId: string, statusCode: number, latencyMs: number | null}[]} requests webhook requests with it
 * @property {{receivedMs: number, verified: boolean, isRepeat: boolean}[]} deliveries to the playground's sink
 */

const POLL_MS = 120;

/**
 * Has the playground do something.
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
 * Looks where an event is until it is where it should be, or the time is over.
 * @param {string} eventId
 * @param {(found: Whereabouts) => boolean} isThere
 * @param {number} atMostMs
 * @param {(found: Whereabouts) => void} [onLook]
 * @returns {Promise<Whereabouts>} what was seen last
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
