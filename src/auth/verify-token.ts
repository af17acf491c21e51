import type { KeyObject } from 'node:crypto';
import passportJwt from 'passport-jwt';
import type { KeyHint, KeySource } from './key-source.js';
import { CLOCK_SKEW_SECONDS, checkTokenClaims, type TokenClaims } from './token-claims.js';
import { checkTokenHeader } from './token-header.js';

/** Which tokens are accepted, whatever key signed them. */
export interface TokenProfile {
  /** Exact `iss`; not checked when undefined (playground mode). */
  readonly issuer: string | undefined;
  /** Exact `aud`, or a member of it; not checked when undefined (playground mode). */
  readonly audience: string | undefined;
  /** Longest life accepted, in seconds. */
  readonly ageSecondsMax: number;
}

/** A token that passed every check. */
export interface VerifiedToken extends TokenClaims {
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Verifies an end-user token: header, then signature, issuer, audience and times by passport-jwt, then the claims.
 * @throws Error with the reason, for the log alone; BffError `unavailable` while there are no keys
 */
export async function verifyToken(
  token: string,
  keys: KeySource,
  profile: TokenProfile,
  nowMs: number,
): Promise<VerifiedToken> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const hint = checkTokenHeader(token, keys.algorithms);
  const fitting = [await keys.find(hint)].flat();
  const claims = await verifyByAny(fitting, (key) => runStrategy(token, hint, key, profile, nowSeconds));
  return { claims, ...checkTokenClaims(claims, { ageSecondsMax: profile.ageSecondsMax, nowSeconds }) };
}

/** What the first key that verifies gives; the last key's refusal when none does. */
async function verifyByAny<T>(
  [key, ...others]: readonly KeyObject[],
  verify: (key: KeyObject) => Promise<T>,
): Promise<T> {
  if (!key) throw new Error('no key fits');
  return others.length === 0 ? verify(key) : verify(key).catch(() => verifyByAny(others, verify));
}

/** One strategy for each token, since the options of a strategy hold the time. */
function runStrategy(
  token: string,
  { alg }: KeyHint,
  key: KeyObject,
  { issuer, audience }: TokenProfile,
  nowSeconds: number,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const strategy = new passportJwt.Strategy(
      {
        jwtFromRequest: () => token,
        // jsonwebtoken takes a KeyObject as it is; the typings of passport-jwt know text and bytes only.
        secretOrKeyProvider: (_request, _token, done) => done(null, key as unknown as Buffer),
        algorithms: [alg],
        issuer,
        audience,
        jsonWebTokenOptions: { clockTimestamp: nowSeconds, clockTolerance: CLOCK_SKEW_SECONDS },
      },
      (payload: Record<string, unknown>, done) => done(null, payload),
    );
    strategy.success = (payload) => resolve(payload as Record<string, unknown>);
    strategy.fail = (reason: unknown) => reject(asError(reason));
    strategy.error = (fault: unknown) => reject(asError(fault));
    strategy.authenticate({} as never);
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('token is refused');
}
