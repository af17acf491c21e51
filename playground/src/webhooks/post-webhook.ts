import type { DeliveryOutcome } from './subscription.js';

/** How one request to a receiver ended; the latency is null when none was sent. */
export interface DeliveryResult {
  readonly outcome: DeliveryOutcome;
  readonly statusCode: number;
  readonly latencyMs: number | null;
}

/**
 * Posts once. Any 2xx is success, a redirect is not followed, the answer's body is not read.
 * @param signal gives up, as on a timeout
 */
export async function postWebhook(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  keptFrom: ReadonlySet<number>,
): Promise<DeliveryResult> {
  if (!isDeliverable(url, keptFrom)) return { outcome: 'InvalidUrl', statusCode: 400, latencyMs: null };
  const startedAtMs = performance.now();
  const status = await exchange(url, body, headers, signal);
  const latencyMs = Math.round(performance.now() - startedAtMs);
  if (status === null) return { outcome: 'RequestTimeout', statusCode: 504, latencyMs };
  const isSuccess = status >= 200 && status < 300;
  return { outcome: isSuccess ? 'Success' : 'BadResponse', statusCode: status, latencyMs };
}

/**
 * https, or http to this machine.
 * @param keptFrom ports of this machine that webhooks never go to
 */
export function isDeliverable(url: string, keptFrom: ReadonlySet<number>): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'https:') return true;
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === 'http:' && isHere && !keptFrom.has(Number(port === '' ? 80 : port));
}

/** The status, or null when there was none before the signal. */
async function exchange(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number | null> {
  const init = { method: 'POST', headers: { ...headers, Connection: 'close' }, body, signal };
  const response = await fetch(url, { ...init, redirect: 'manual' }).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? null;
}
