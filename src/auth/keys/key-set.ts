import { KeyObject } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { algorithmsOf, type Algorithm } from '../../config/values/algorithms.js';
import { isObject } from '../../json/is-object.js';

/** A key of a JWK set that may verify tokens. */
export interface SetKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

/** For jose to import a key that does not name its algorithm; the key type decides what it can verify. */
const ALGORITHM_OF_CURVE: Readonly<Record<string, Algorithm>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/**
 * The keys of a JWK set that can verify signatures; others are skipped, as RFC 7517 section 5 asks. Symmetric and
 * private keys are never used: anyone who can read the set could sign with them.
 * @throws Error for anything but a JWK set
 */
export async function readKeySet(set: unknown): Promise<readonly SetKey[]> {
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('answered with JSON that is not a JWK set');
  const read = await Promise.all(keys.map(readSetKey));
  return read.filter((key) => key !== undefined);
}

async function readSetKey(jwk: unknown): Promise<SetKey | undefined> {
  if (!isForVerification(jwk)) return undefined;
  try {
    const { alg, crv = '', kid } = jwk;
    const material = { ...jwk };
    delete material.key_ops; // checked above; jose refuses a public key that also lists `sign`
    const key = KeyObject.from(
      (await importJWK(material, alg ?? ALGORITHM_OF_CURVE[crv] ?? 'RS256')) as CryptoKey,
    );
    const algorithms = algorithmsOf(key).filter((name) => alg === undefined || alg === name);
    return key.type === 'public' && algorithms.length > 0 ? { kid, key, algorithms } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Public, and not declared to be for something else (RFC 7517 sections 4.2 to 4.5). jose checks `use` and `kid` only
 * when it selects a key from a set.
 */
function isForVerification(jwk: unknown): jwk is JWK {
  if (!isObject(jwk)) return false;
  const { kty, d, use, key_ops: operations, kid } = jwk;
  return (
    (kty === 'RSA' || kty === 'EC' || kty === 'OKP') &&
    d === undefined &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (kid === undefined || typeof kid === 'string')
  );
}
