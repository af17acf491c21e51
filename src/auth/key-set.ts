import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { algorithmsOf, type Algorithm } from '../config/algorithms.js';

/** A key of a JWK set that may verify tokens. */
export interface SetKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

/**
 * The keys of a JWK set that can verify signatures; others are passed over, as RFC 7517 section 5 asks. Symmetric and
 * private keys are never taken: anyone who can read the set could sign with them.
 * @throws Error for what is no JWK set
 */
export function readKeySet(set: unknown): readonly SetKey[] {
  const keys = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new Error('answered with JSON that is not a JWK set');
  return keys.flatMap((jwk: unknown) => readSetKey(jwk) ?? []);
}

function readSetKey(jwk: unknown): SetKey | undefined {
  if (typeof jwk !== 'object' || jwk === null || !isForVerification(jwk)) return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algorithms = algorithmsOf(key).filter((name) => jwk.alg === undefined || jwk.alg === name);
    return algorithms.length > 0 ? { kid: jwk.kid, key, algorithms } : undefined;
  } catch {
    return undefined;
  }
}

type VerificationKey = JsonWebKey & { kid?: string; alg?: string };

/** Public, and not declared to be for something else (RFC 7517 sections 4.2 to 4.5). */
function isForVerification(jwk: object): jwk is VerificationKey {
  const { kty, d, use, key_ops: operations, kid } = jwk as Record<string, unknown>;
  return (
    kty !== 'oct' &&
    d === undefined &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (kid === undefined || typeof kid === 'string')
  );
}
