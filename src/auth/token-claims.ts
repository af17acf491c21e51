import { isObject } from '../json/is-object.js';
import { TokenFault } from './token-fault.js';

/** How far the clocks of issuer and service may differ. */
export const CLOCK_SKEW_SECONDS = 30;

const SUBJECT_BYTES_MAX = 255;
const CONTROL = /\p{Cc}/u;
/** Claims that only an ID token has (OpenID Connect Core section 2): meant for the client, not for us. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/** The claims that the service itself needs. */
export interface TokenClaims {
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Epoch milliseconds; 0 when the token has no `nbf`. */
  readonly notBefore: number;
}

/**
 * Checks the claims other than issuer and audience: the token has an expiry, is valid now and does not live longer than
 * allowed, names a subject, and is not an ID token (RFC 7519 section 4.1, RFC 8725 section 3, RFC 9068 section 4).
 * @throws TokenFault
 */
export function checkTokenClaims(
  payload: unknown,
  { ageSecondsMax, nowSeconds }: { ageSecondsMax: number; nowSeconds: number },
): TokenClaims {
  if (!isObject(payload)) throw new TokenFault('malformed');
  const { sub, exp, nbf = 0, iat = nowSeconds } = payload;
  if (!isSubject(sub)) throw new TokenFault('invalid_sub');
  if (!isTime(exp)) throw new TokenFault('invalid_exp');
  if (!isTime(nbf)) throw new TokenFault('invalid_nbf');
  if (!isTime(iat)) throw new TokenFault('invalid_iat');
  if (nowSeconds >= exp + CLOCK_SKEW_SECONDS) throw new TokenFault('expired');
  if (Math.max(nbf, iat) > nowSeconds + CLOCK_SKEW_SECONDS) throw new TokenFault('not_yet_valid');
  if (exp - iat > ageSecondsMax) throw new TokenFault('lifetime_too_long');
  if (isIdToken(payload)) throw new TokenFault('id_token');
  return { subject: sub, expiresAt: exp * 1000, notBefore: nbf * 1000 };
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

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000;
}

function isIdToken(payload: Readonly<Record<string, unknown>>): boolean {
  const { token_use: use, typ } = payload; // as Cognito and Keycloak mark them
  return use === 'id' || typ === 'ID' || ID_TOKEN_CLAIMS.some((claim) => claim in payload);
}
