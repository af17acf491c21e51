import { BffError } from './bff-error.js';
import type { ErrorCode } from './error-codes.js';
import { StoreError } from './store-error.js';

const HTTP_STATUS_CODES: Record<number, ErrorCode> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'invalid_request',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
};

/**
 * Turns anything that was thrown into the service's own error. A store that fails is `unavailable`: that is temporary and
 * not the caller's fault. Faults that the HTTP framework finds in the request keep their status; everything else is
 * `internal_error`. The original is the cause.
 * @param storeRetrySeconds when to try again after a store has failed; 1 when none is given
 */
export function toBffError(thrown: unknown, storeRetrySeconds?: number): BffError {
  if (thrown instanceof BffError) return thrown;
  if (thrown instanceof StoreError) return unavailable(thrown, storeRetrySeconds);
  const code = HTTP_STATUS_CODES[frameworkStatus(thrown) ?? 500] ?? 'internal_error';
  return new BffError(code, { cause: thrown });
}

function unavailable(cause: StoreError, retryAfterSeconds: number | undefined): BffError {
  return new BffError('unavailable', {
    message: `the ${cause.store} failed`,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** The status that Fastify (`statusCode`) or Nest (`status`) gave an error of the request. */
function frameworkStatus(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if ('statusCode' in thrown && typeof thrown.statusCode === 'number') return thrown.statusCode;
  if ('status' in thrown && typeof thrown.status === 'number') return thrown.status;
  return undefined;
}
