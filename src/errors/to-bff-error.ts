import { BffError } from './bff-error.js';
import type { ErrorCode } from './error-codes.js';
import { StoreError } from './store-error.js';

const HTTP_STATUS_CODES = new Map<unknown, ErrorCode>([
  [400, 'invalid_request'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [413, 'payload_too_large'],
  [414, 'invalid_request'],
  [415, 'unsupported_media_type'],
  [431, 'headers_too_large'],
]);

/**
 * Turns anything that was thrown into the service's own error. A store that fails is `unavailable`: that is temporary and
 * not the caller's fault. Faults that the HTTP framework finds in the request keep their status; everything else is
 * `internal_error`. The original is the cause.
 */
export function toBffError(thrown: unknown): BffError {
  if (thrown instanceof BffError) return thrown;
  if (thrown instanceof StoreError) {
    const message = `the ${thrown.store} failed`;
    return new BffError('unavailable', { message, cause: thrown, retryAfterSeconds: 1 });
  }
  // Fastify gives an error of the request a `statusCode`, Nest a `status`.
  const { statusCode, status } = (thrown ?? {}) as Record<string, unknown>;
  const code = HTTP_STATUS_CODES.get(statusCode) ?? HTTP_STATUS_CODES.get(status) ?? 'internal_error';
  return new BffError(code, { cause: thrown });
}
