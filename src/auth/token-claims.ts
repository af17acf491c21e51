import type { Config } from '../config/load-config.js';
import { isIdentifier } from '../http/end-user.js';
import { memberAt } from '../json/member-at.js';
import { TokenFault } from './token-fault.js';
import type { ReadToken } from './token-header.js';

/**
 * Claims of an ID token (OpenID Connect Core sections 2 and 3.3.2.11), and of access tokens of some issuers too;
 * `events` is a logout token's (RFC 8417 section 2.2).
 */
const OTHER_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'events'];
/** Kinds of tokens that are neither access nor ID tokens, as Keycloak's `typ` and others' `token_use` name them. */
const OTHER_KIND = /^(refresh|offline|logout)$/i;

/** Issuer and audience are not checked where none is set, in playground mode. */
export type ClaimSettings = Pick<
  Config,
  | 'END_USER_ISSUER'
  | 'END_USER_AUDIENCE'
  | 'END_USER_AUDIENCE_CLAIM'
  | 'END_USER_CLOCK_SKEW_SECONDS'
  | 'END_USER_REQUIRED_CLAIM'
>;

/**
 * Checks issuer, audience, times and subject, and that it is no ID token or other token that is not for an API (RFC
 * 7519 section 4.1, RFC 8725 section 3, RFC 9068 section 4).
 * @returns the issuer, empty where it is not checked; and the expiry in epoch milliseconds
 * @throws TokenFault
 */
export function checkTokenClaims(
  token: ReadToken,
  settings: ClaimSettings,
  nowSeconds: number,
): { issuer: string; subject: string; expiresAt: number } {
  const { claims } = token;
  const { sub, exp, nbf = 0, iat = nowSeconds } = claims;
  const { END_USER_ISSUER: issuers, END_USER_AUDIENCE: audiences } = settings;
  const skewSeconds = settings.END_USER_CLOCK_SKEW_SECONDS;
  const issuer = issuers.length === 0 ? '' : issuers.find((one) => one === claims['iss']);
  if (issuer === undefined) throw new TokenFault('wrong_issuer');
  const named = [memberAt(claims, settings.END_USER_AUDIENCE_CLAIM)].flat();
  const isForUs = audiences.length === 0 || audiences.some((audience) => named.includes(audience));
  if (!isForUs) throw new TokenFault('wrong_audience');
  if (!isIdentifier(sub) || !isTime(exp) || !isTime(nbf) || !isTime(iat)) {
    throw new TokenFault('invalid_claim');
  }
  if (nowSeconds >= exp + skewSeconds) throw new TokenFault('expired');
  if (Math.max(nbf, iat) > nowSeconds + skewSeconds) throw new TokenFault('not_yet_valid');
  if (isForElsewhere(token, settings)) throw new TokenFault('id_token');
  return { issuer, subject: sub, expiresAt: exp * 1000 };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000;
}

/**
 * Cognito marks a token's kind by `token_use`, Keycloak by the claim `typ`, RFC 9068 by the header. Other claims decide
 * only where none of these does: an access token of Keycloak may hold a `nonce`.
 */
function isForElsewhere(
  { claims, isAccessToken }: ReadToken,
  { END_USER_REQUIRED_CLAIM: required }: ClaimSettings,
): boolean {
  const { token_use: use, typ } = claims;
  if ([use, typ].some((kind) => typeof kind === 'string' && OTHER_KIND.test(kind))) return true;
  if (required) return !hasClaim(claims, required);
  if (use === 'id' || typ === 'ID') return true;
  if (isAccessToken || use === 'access' || typ === 'Bearer') return false;
  return OTHER_TOKEN_CLAIMS.some((claim) => claim in claims);
}

function hasClaim(
  claims: ReadToken['claims'],
  { place, value }: NonNullable<ClaimSettings['END_USER_REQUIRED_CLAIM']>,
): boolean {
  const found = memberAt(claims, place) ?? null;
  if (value === undefined) return found !== null;
  return (Array.isArray(found) ? found : [found]).some(
    (one) => typeof one !== 'object' && String(one) === value,
  );
}
