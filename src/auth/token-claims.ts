import type { RequiredClaim } from '../config/settings/end-users.js';
import { isObject } from '../json/is-object.js';
import { memberAt } from '../json/member-at.js';
import { TokenFault } from './token-fault.js';

type Claims = Readonly<Record<string, unknown>>;

const SUBJECT_BYTES_MAX = 255;
const CONTROL = /\p{Cc}/u;
/**
 * Claims that an ID token has (OpenID Connect Core sections 2 and 3.3.2.11), and an access token of some issuers too;
 * `events` is that of a logout token (RFC 8417 section 2.2).
 */
const OTHER_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'events'];
/** Kinds of tokens that are neither access nor ID tokens, as Keycloak's `typ` and others' `token_use` name them. */
const OTHER_KIND = /^(refresh|offline|logout)$/i;

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
  /** How far the clocks of issuer and service may differ. */
  readonly skewSeconds: number;
  /** The claim that alone tells an access token from an ID token; undefined where the issuer marks them. */
  readonly requiredClaim: RequiredClaim | undefined;
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
  if (nowSeconds >= exp + rules.skewSeconds) throw new TokenFault('expired');
  if (Math.max(nbf, iat) > nowSeconds + rules.skewSeconds) throw new TokenFault('not_yet_valid');
  if (exp - iat > rules.ageSecondsMax) throw new TokenFault('lifetime_too_long');
  if (isForElsewhere(payload, isAccessToken, rules.requiredClaim)) throw new TokenFault('id_token');
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

function checkIssuer({ iss }: Claims, { issuers }: ClaimRules): string {
  if (issuers.length === 0) return '';
  const issuer = issuers.find((one) => one === iss);
  if (issuer === undefined) throw new TokenFault('wrong_issuer');
  return issuer;
}

function checkAudience(payload: Claims, rules: ClaimRules): void {
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
function isForElsewhere(
  payload: Claims,
  isAccessToken: boolean,
  required: RequiredClaim | undefined,
): boolean {
  const { token_use: use, typ } = payload;
  if ([use, typ].some((kind) => typeof kind === 'string' && OTHER_KIND.test(kind))) return true;
  if (required) return !hasClaim(payload, required);
  if (use === 'id' || typ === 'ID') return true;
  if (isAccessToken || use === 'access' || typ === 'Bearer') return false;
  return OTHER_TOKEN_CLAIMS.some((claim) => claim in payload);
}

function hasClaim(payload: Claims, { place, value }: RequiredClaim): boolean {
  const found = memberAt(payload, place);
  if (value === undefined) return found !== undefined && found !== null;
  return (Array.isArray(found) ? found : [found ?? null]).some(
    (one) => typeof one !== 'object' && String(one) === value,
  );
}
