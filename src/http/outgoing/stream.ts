import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { Cancellation } from '../cancellation.js';
import { ExchangeFault, type ExchangeEnd, type OutgoingRequest } from './exchange.js';

/** An answer whose body is still arriving. Its receiver has to read the body to the end or destroy it. */
export interface StreamingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** How long a body that is being read may stay silent. */
const SILENCE_MS = 30_000;

/**
 * Sends one request and returns its answer as soon as the head has arrived. The body arrives no faster than it is read.
 * @param onEnd called when the head has arrived, or will not
 * @throws ExchangeFault
 */
export async function openStream(
  pool: Pool,
  request: OutgoingRequest,
  onEnd?: ExchangeEnd,
): Promise<StreamingAnswer> {
  const { method, path, headers, body, timeoutMs, cancellation } = request;
  const attempt = new Cancellation();
  let kind: 'timeout' | 'aborted' | 'connection' = 'connection';
  const abort = (why: 'timeout' | 'aborted'): void => {
    kind = why;
    attempt.cancel();
  };
  const onGone = (): void => abort('aborted');
  const timer = setTimeout(() => abort('timeout'), timeoutMs);
  if (cancellation?.cancelled) onGone();
  cancellation?.onCancel(onGone);
  try {
    const answer = await pool.request({
      method,
      path,
      headers,
      body: body ?? null,
      bodyTimeout: SILENCE_MS,
      signal: attempt.toSignal(),
    });
    onEnd?.(answer.statusCode);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    onEnd?.(kind);
    throw new ExchangeFault(kind, 0, error);
  } finally {
    clearTimeout(timer);
    cancellation?.offCancel(onGone);
  }
}
