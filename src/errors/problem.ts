import type { BffError } from './bff-error.js';
import { ERROR_CODES } from './error-codes.js';

/** Media type of every failure outside `/graphql` (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/**
 * The body of a failure (RFC 9457, with our `code`, `requestId` and `errors` members). Two refusals with the same code
 * differ only in `requestId`, unless details were given.
 */
export function toProblem(error: BffError, requestId: string): object {
  const { status, title } = ERROR_CODES[error.code];
  const { errors } = error.details;
  return {
    type: `urn:partner-bff:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.detail,
    requestId,
    ...(errors && { errors }),
  };
}

/** The headers of a failure, in addition to those of every answer. */
export function problemHeaders({ code, retryAfterSeconds, details }: BffError): Record<string, string> {
  const headers: Record<string, string> = {};
  const { allow, challenge = ERROR_CODES[code].challenge } = details;
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (allow !== undefined) headers['allow'] = allow;
  return headers;
}
