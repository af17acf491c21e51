import { call } from '../../../pages/control.mjs';

/**
 * The stations that an event has reached.
 * @typedef {object} Whereabouts
 * @property {{requestId: string, subscriptionId: string, statusCode: number, latencyMs: number | null}[]} requests
 *   webhook requests with it
 * @property {{receivedMs: number, verified: boolean, isRepeat: boolean}[]} deliveries to the playground's sink
 */

const POLL_MS = 120;

/**
 * @param {string} eventId
 * @returns {Promise<Whereabouts>}
 */
export async function findEvent(eventId) {
  const query = `?eventId=${encodeURIComponent(eventId)}`;
  const [{ requests }, { deliveries }] = await Promise.all([
    call(`webhooks/requests${query}`),
    call(`sink${query}`),
  ]);
  return { requests, deliveries };
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
