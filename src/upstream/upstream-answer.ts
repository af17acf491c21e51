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

/** A day: what lives longer is asked for again sooner. */
const LIFE_SECONDS_MAX = 86_400;
const LIFE_SECONDS_ASSUMED = 60;
/** An issuer that asks for more patience is asked again all the same: everything waits for it. */
const RETRY_AFTER_SECONDS_MAX = 60;

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
  const wait = retryAfterSeconds(headers['retry-after'], Date.now());
  const details = {
    message,
    refusedBy: 'upstream',
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  } as const;
  return new BffError(status === 429 ? 'rate_limited' : 'unavailable', details);
}

/** A token, and its life from when it was requested. */
export interface TokenGrant {
  readonly accessToken: string;
  readonly lifeSeconds: number;
}

/** The result of a request for a partner token. A refusal says whether the credentials were refused. */
export type PartnerTokenAnswer =
  | ({ readonly kind: 'granted' } & TokenGrant)
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly credentials: boolean;
      readonly retryAfterSeconds?: number | undefined;
    };

/** Reads the issuer's answer. A missing or invalid life counts as a minute. */
export function readPartnerToken(answer: IncomingAnswer, clientSecret: string): PartnerTokenAnswer {
  const body = readJsonObject(answer) ?? {};
  if (answer.status !== 200) {
    const credentials = answer.status === 401 || body['error'] === 'invalid_client';
    const wait = retryAfterSeconds(answer.headers['retry-after'], Date.now());
    const seconds = wait === undefined ? undefined : Math.min(wait, RETRY_AFTER_SECONDS_MAX);
    return { kind: 'refused', reason: `status ${answer.status}`, credentials, retryAfterSeconds: seconds };
  }
  const accessToken = bearerTokenOf(body);
  if (accessToken === undefined || accessToken === clientSecret) {
    return { kind: 'refused', reason: 'the answer is not a bearer token', credentials: false };
  }
  const { expires_in: value } = body;
  const life = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isLife = typeof life === 'number' && life > 0;
  const lifeSeconds = isLife ? Math.min(life, LIFE_SECONDS_MAX) : LIFE_SECONDS_ASSUMED;
  return { kind: 'granted', accessToken, lifeSeconds };
}

/** Reads the upstream's; undefined for a token without a life, of another scope than asked, or that is the partner's. */
export function readBrowserToken(
  answer: IncomingAnswer,
  scopes: readonly string[],
  partnerToken: string,
): TokenGrant | undefined {
  const grant = readJsonObject(answer) ?? {};
  const { expires_in: life, scope } = grant;
  const accessToken = bearerTokenOf(grant);
  if (accessToken === undefined || accessToken === partnerToken) return undefined;
  if (!Number.isSafeInteger(life) || (life as number) <= 0) return undefined;
  if (scope !== undefined && !isSameSet(scope, scopes)) return undefined;
  return { accessToken, lifeSeconds: Math.min(life as number, LIFE_SECONDS_MAX) };
}

/** The token in an answer of the type Bearer, fit for a header (RFC 6749 section 5.1, RFC 6750 section 2.1). */
function bearerTokenOf(grant: Readonly<Record<string, unknown>>): string | undefined {
  const { access_token: token, token_type: type } = grant;
  if (typeof token !== 'string' || !/^[\w.~+/=-]{1,16384}$/.test(token)) return undefined;
  return typeof type === 'string' && type.toLowerCase() === 'bearer' ? token : undefined;
}

function isSameSet(scope: unknown, scopes: readonly string[]): boolean {
  if (typeof scope !== 'string') return false;
  const granted = new Set(scope.split(' ').filter((name) => name !== ''));
  return granted.size === scopes.length && scopes.every((name) => granted.has(name));
}
