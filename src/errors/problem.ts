import { type BffError, type FieldFault, type UsedUpLimit } from './bff-error.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** Media type of every failure outside `/graphql` (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A failure as the caller reads it (RFC 9457, with our `code`, `requestId` and `errors` members). */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly FieldFault[];
}

/** The body of a failure. Two refusals with the same code differ only in `requestId`, unless details were given. */
export function toProblem(error: BffError, requestId: string): Problem {
  const { status, title } = ERROR_CODES[error.code];
  return {
    type: `urn:partner-bff:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.detail,
    requestId,
    ...(error.errors && { errors: error.errors }),
  };
}

/** The headers of a failure, in addition to those of every answer. */
export function problemHeaders(error: BffError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.challenge !== undefined) headers['www-authenticate'] = error.challenge;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  const { limit, allow } = error.details;
  if (limit) Object.assign(headers, rateLimitHeaders(limit, error.retryAfterSeconds));
  if (allow !== undefined) headers['allow'] = allow;
  return headers;
}

/** The RateLimit header fields (draft-ietf-httpapi-ratelimit-headers-10) of a limit that is used up. */
function rateLimitHeaders(
  { name, quota, windowSeconds }: UsedUpLimit,
  waitSeconds = windowSeconds,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${windowSeconds}`,
    ratelimit: `"${name}";r=0;t=${waitSeconds}`,
  };
}
