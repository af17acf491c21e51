import { BffError } from '../errors/bff-error.js';
import { ExchangeFault, type IncomingAnswer } from '../http/outgoing/exchange.js';
import { isObject } from '../json/parse-json.js';
import { isUncoded, retryAfterSeconds } from '../http/header-values.js';

/** Code of a GraphQL error whose token the upstream did not accept (interface 2.4). */
export const UNAUTHENTICATED = 'UNAUTHENTICATED';
/** Code of a GraphQL error of an upstream that limits this service. */
export const RATE_LIMITED = 'RATE_LIMITED';

/** Codes that refuse what was asked, so that asking again does not help. Any other is of a failure. */
export const REFUSAL_CODES: ReadonlySet<string> = new Set([
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
]);

/** The JSON object in an answer; undefined for anything else. The parser's error quotes the text, and is dropped. */
export function readJsonObject({ headers, body }: IncomingAnswer): Record<string, unknown> | undefined {
  if (!isUncoded(headers)) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The code of one of the `errors` of a GraphQL answer; undefined when it has none. */
export function codeOf(error: unknown): string | undefined {
  const { extensions } = isObject(error) ? error : {};
  const code = isObject(extensions) ? extensions['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** An exchange without a whole answer as our caller sees it. */
export function fromFault(cause: ExchangeFault): BffError {
  return new BffError(cause.kind === 'timeout' ? 'upstream_timeout' : 'upstream_error', { cause });
}

/** @throws an exchange's fault as our caller sees it; anything else that was thrown as it is */
export function throwFault(thrown: unknown): never {
  throw thrown instanceof ExchangeFault ? fromFault(thrown) : thrown;
}

/**
 * A refusal as our caller sees it. The upstream's status is never copied: its 401 or 400 is our fault, not our
 * caller's. Only 429 and 503 pass, with their `Retry-After`. `what` was asked is for the log.
 */
export function fromRefusal(
  { status, headers }: Pick<IncomingAnswer, 'status' | 'headers'>,
  what: string,
): BffError {
  const message = `${what} answered ${status}`;
  if (status !== 429 && status !== 503) {
    return new BffError('upstream_error', { message, fields: { upstreamStatus: String(status) } });
  }
  return new BffError(status === 429 ? 'rate_limited' : 'unavailable', {
    message,
    refusedBy: 'upstream',
    retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()),
  });
}
