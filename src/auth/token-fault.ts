import { BffError, type BffErrorDetails } from '../errors/bff-error.js';

/** Why an end user's token can be refused: `reason` in log and audit trail, and what it means, for `docs/errors.md`. */
export const TOKEN_FAULTS = {
  no_token:
    'There is no `Authorization: Bearer` and no cookie of `END_USER_COOKIE`. The frontend calls before sign-in, or a proxy drops the header.',
  several_tokens:
    'The header with the token was sent more than once, most often by a proxy that adds its own.',
  token_too_long: 'It is longer than 8 KiB: too many claims, such as groups.',
  malformed: 'It is not a JWS with three parts in base64url: an opaque, encrypted or cut token.',
  algorithm_not_accepted: '`alg` is not among `END_USER_ALGORITHMS`, or not that of the key.',
  header_not_accepted:
    'The header brings a key (`jku`, `jwk`, `x5c` …), has `crit`, or a `typ` other than `JWT` or `at+jwt`: a forgery, or a token for another purpose.',
  unknown_key:
    'No key of the JWK set has this `kid` and `alg`: a forgery, or a new key while the set cannot be fetched. An unknown key has it fetched at most once in 30 seconds.',
  wrong_signature: 'No key that fits has signed it: a forgery, or an old key or secret in the settings.',
  wrong_issuer:
    '`iss` is not `END_USER_ISSUER`, character by character. Look for a slash at the end, or another environment.',
  wrong_audience:
    '`aud`, or the claim of `END_USER_AUDIENCE_CLAIM`, does not hold `END_USER_AUDIENCE`. The frontend requests a token for another API.',
  expired: '`exp` has passed. One user left a page open. Many users mean that a clock is wrong.',
  not_yet_valid: '`nbf` or `iat` is ahead: a clock is wrong.',
  invalid_claim:
    '`sub` is missing, longer than 255 bytes, or has control characters; or `exp` is missing, or one of `exp`, `nbf` and `iat` is not a time.',
  id_token:
    'It is an ID, refresh or logout token, or lacks `END_USER_REQUIRED_CLAIM`. The frontend must send the access token.',
  not_verified: 'The verifier failed for another reason. Report it, with `kid` and `alg`.',
} as const;

export type TokenFaultWord = keyof typeof TOKEN_FAULTS;

/** A 401 for a token that did not pass a check (RFC 6750 section 3.1). The word goes only to log and audit trail. */
export class TokenFault extends BffError {
  constructor(
    readonly word: TokenFaultWord,
    details: Pick<BffErrorDetails, 'cause' | 'fields'> = {},
  ) {
    super('unauthenticated', { challenge: 'Bearer error="invalid_token"', message: word, ...details });
  }
}
