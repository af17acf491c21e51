import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { errors, type Pool } from 'undici';
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
  const { method, path, headers, body = null, timeoutMs: headersTimeout, cancellation } = request;
  const leaving = new AbortController();
  const abort = (): void => leaving.abort();
  if (cancellation?.cancelled) abort();
  cancellation?.onCancel(abort);
  const { signal } = leaving;
  try {
    const options = { method, path, headers, body, headersTimeout, bodyTimeout: SILENCE_MS, signal };
    const answer = await pool.request(options);
    onEnd?.(answer.statusCode);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    const kind = error instanceof errors.HeadersTimeoutError ? 'timeout' : 'connection';
    const ended = signal.aborted ? 'aborted' : kind;
    onEnd?.(ended);
    throw new ExchangeFault(ended, 0, error);
  } finally {
    cancellation?.offCancel(abort);
  }
}
