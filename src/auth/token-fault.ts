/** Why an end user's token can be refused: `reason` in log and audit trail. `docs/runbook.md` explains each word. */
export const TOKEN_FAULTS = [
  'no_token',
  'several_tokens',
  'token_too_long',
  'malformed',
  'algorithm_not_accepted',
  'header_not_accepted',
  'unknown_key',
  'ambiguous_key',
  'wrong_signature',
  'wrong_issuer',
  'wrong_audience',
  'expired',
  'not_yet_valid',
  'lifetime_too_long',
  'invalid_sub',
  'invalid_exp',
  'invalid_nbf',
  'invalid_iat',
  'id_token',
  'not_verified',
] as const;

/** One of {@link TOKEN_FAULTS}. */
export type TokenFaultWord = (typeof TOKEN_FAULTS)[number];

/** A token that did not pass a check. */
export class TokenFault extends Error {
  override readonly name = 'TokenFault';

  constructor(readonly word: TokenFaultWord) {
    super(word);
  }
}

/** The word for whatever a check or the verifier threw; `not_verified` where there is no better one. */
export function tokenFaultWord(error: unknown): TokenFaultWord {
  if (error instanceof TokenFault) return error.word;
  if (error instanceof SyntaxError) return 'malformed'; // a part is not JSON
  const isSignature = error instanceof Error && error.message === 'invalid signature'; // by jsonwebtoken
  return isSignature ? 'wrong_signature' : 'not_verified';
}
