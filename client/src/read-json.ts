import { BffError } from './bff-error.js';

/**
 * The JSON of an answer; undefined for anything else.
 * @throws the reason of `signal` when it is aborted meanwhile
 */
export async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if ((error as Error).name === 'SyntaxError') return undefined;
    throw faultOf(error, signal, undefined);
  }
}

/** @throws the reason of a signal that is aborted, as {@link faultOf} has it */
export function throwIfAborted(signal: AbortSignal | null | undefined): void {
  if (signal?.aborted) throw faultOf(signal.reason, signal);
}

/** The reason for a missing answer: that of an aborted signal, unless it is a deadline; otherwise the network. */
export function faultOf(cause: unknown, signal: AbortSignal | null | undefined, requestId?: string): Error {
  const reason: unknown = signal?.aborted ? signal.reason : undefined;
  const isLate = (reason as Error | undefined)?.name === 'TimeoutError';
  if (reason !== undefined && !isLate) return reason as Error;
  const text = isLate ? 'There was no answer in time.' : 'There was no answer.';
  return new BffError('NETWORK_ERROR', `${text} Check the connection and try again.`, { requestId, cause });
}
