import { isObject } from '../json/is-object.js';
import { memberAt } from '../json/member-at.js';
import { TokenFault } from './token-fault.js';

/** How far the clocks of issuer and service may differ. */
export const CLOCK_SKEW_SECONDS = 30;

const SUBJECT_BYTES_MAX = 255;
const CONTROL = /\p{Cc}/u;
/**
 * Claims that an ID token has (OpenID Connect Core section 2), and an access token of some issuers too; `events` is that
 * of a logout token (RFC 8417 section 2.2).
 */
const OTHER_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];
/** The claim `typ` of Keycloak's tokens that no API is to accept. */
const OTHER_TYPES: readonly unknown[] = ['ID', 'Refresh', 'Offline', 'Logout'];

/** The claims that the service itself needs. */
export interface TokenClaims {
  /** Empty where `iss` is not checked. */
  readonly issuer: string;
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Epoch milliseconds; 0 when the token has no `nbf`. */
  readonly notBefore: number;
}

/** Which claims are accepted. */
export interface ClaimRules {
  /** Exact values of `iss`; empty where it is not checked, in playground mode. */
  readonly issuers: readonly string[];
  /** Exact audiences, one of which must be named; empty where they are not checked. */
  readonly audiences: readonly string[];
  /** Place of the claim that names the audience, see `memberAt`. */
  readonly audienceClaim: string;
  readonly ageSecondsMax: number;
}

/**
 * Checks the claims: issuer and audience are ours, the token has an expiry, is valid now and does not live longer than
 * allowed, names a subject, and is no ID token or other token that is not for an API (RFC 7519 section 4.1, RFC 8725
 * section 3, RFC 9068 section 4).
 * @param isAccessToken whether the token's header says so (`at+jwt`)
 * @throws TokenFault
 */
export function checkTokenClaims(
  payload: unknown,
  rules: ClaimRules,
  nowSeconds: number,
  isAccessToken: boolean,
): TokenClaims {
  if (!isObject(payload)) throw new TokenFault('malformed');
  const { sub, exp, nbf = 0, iat = nowSeconds } = payload;
  const issuer = checkIssuer(payload, rules);
  checkAudience(payload, rules);
  if (!isSubject(sub)) throw new TokenFault('invalid_sub');
  if (!isTime(exp)) throw new TokenFault('invalid_exp');
  if (!isTime(nbf)) throw new TokenFault('invalid_nbf');
  if (!isTime(iat)) throw new TokenFault('invalid_iat');
  if (nowSeconds >= exp + CLOCK_SKEW_SECONDS) throw new TokenFault('expired');
  if (Math.max(nbf, iat) > nowSeconds + CLOCK_SKEW_SECONDS) throw new TokenFault('not_yet_valid');
  if (exp - iat > rules.ageSecondsMax) throw new TokenFault('lifetime_too_long');
  if (isForElsewhere(payload, isAccessToken)) throw new TokenFault('id_token');
  return { issuer, subject: sub, expiresAt: exp * 1000, notBefore: nbf * 1000 };
}

/** True if a value can be a user's `sub`: text of 1 to 255 bytes that every store and log can hold. */
export function isSubject(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= SUBJECT_BYTES_MAX &&
    value.isWellFormed() &&
    !CONTROL.test(value)
  );
}

function checkIssuer({ iss }: Readonly<Record<string, unknown>>, { issuers }: ClaimRules): string {
  if (issuers.length === 0) return '';
  const issuer = issuers.find((one) => one === iss);
  if (issuer === undefined) throw new TokenFault('wrong_issuer');
  return issuer;
}

function checkAudience(payload: Readonly<Record<string, unknown>>, rules: ClaimRules): void {
  const { audiences, audienceClaim } = rules;
  if (audiences.length === 0) return;
  const value = memberAt(payload, audienceClaim);
  const named: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!audiences.some((audience) => named.includes(audience))) throw new TokenFault('wrong_audience');
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000;
}

/**
 * Cognito marks a token's kind by `token_use`, Keycloak by the claim `typ`, RFC 9068 by the header. Other claims decide
 * only where none of these does: an access token of Keycloak may hold a `nonce`.
 */
function isForElsewhere(payload: Readonly<Record<string, unknown>>, isAccessToken: boolean): boolean {
  const { token_use: use, typ } = payload;
  if (use === 'id' || OTHER_TYPES.includes(typ)) return true;
  if (isAccessToken || use === 'access' || typ === 'Bearer') return false;
  return OTHER_TOKEN_CLAIMS.some((claim) => claim in payload);
}
