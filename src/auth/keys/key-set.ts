import { KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { algorithmsOf, type Algorithm } from '../../config/values/public-keys.js';
import { isObject } from '../../json/is-object.js';

/** A key of a JWK set that may verify tokens. */
export interface SetKey {
  /** What a signature is verified with, and how the key is found, nothing else. */
  readonly jwk: JWK;
  readonly algorithms: readonly Algorithm[];
}

/** For jose to import a key that does not name its algorithm; the key type decides what it can verify. */
const ALGORITHM_OF_CURVE: Readonly<Record<string, Algorithm>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};
const KEYS_MAX = 100;
/** In characters of base64url: 8,192 bits, and 32. Anything longer is not worth importing. */
const MODULUS_CHARACTERS_MAX = 1_366;
const EXPONENT_CHARACTERS_MAX = 6;

/**
 * The keys of a JWK set that can verify signatures; others are skipped, as RFC 7517 section 5 asks. Symmetric and
 * private keys are never used: anyone who can read the set could sign with them. To import a key can take milliseconds, so
 * each has a turn of the event loop.
 * @throws Error for anything but a JWK set, for one of more than a hundred keys, and for keys of which none can be used
 */
export async function readKeySet(set: unknown): Promise<readonly SetKey[]> {
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('answered with JSON that is not a JWK set');
  if (keys.length > KEYS_MAX) throw new Error(`answered with a JWK set of more than ${KEYS_MAX} keys`);
  const read: SetKey[] = [];
  for (const jwk of keys) {
    const key = isForVerification(jwk) && (await readKey(jwk).catch(() => undefined));
    if (key) read.push(key);
    await nextTurn();
  }
  if (keys.length > 0 && read.length === 0) throw new Error('answered with a JWK set of no usable key');
  return read;
}

/** @throws Error for a key that cannot be imported */
async function readKey({ kty, kid, alg, n, e, crv, x, y }: JWK): Promise<SetKey | undefined> {
  const jwk = JSON.parse(JSON.stringify({ kty, kid, alg, n, e, crv, x, y })) as JWK;
  const imported = await importJWK(jwk, alg ?? ALGORITHM_OF_CURVE[crv ?? ''] ?? 'RS256');
  const key = KeyObject.from(imported as CryptoKey);
  const algorithms = algorithmsOf(key).filter((name) => alg === undefined || alg === name);
  return key.type === 'public' && algorithms.length > 0 ? { jwk, algorithms } : undefined;
}

/** Public, and not declared to be for something else (RFC 7517 sections 4.2 to 4.5). */
function isForVerification(jwk: unknown): jwk is JWK {
  if (!isObject(jwk)) return false;
  const { kty, d, use, key_ops: operations, kid, n = '', e = '' } = jwk;
  return (
    (kty === 'RSA' || kty === 'EC' || kty === 'OKP') &&
    d === undefined &&
    isShort(n, MODULUS_CHARACTERS_MAX) &&
    isShort(e, EXPONENT_CHARACTERS_MAX) &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    (kid === undefined || typeof kid === 'string')
  );
}

function isShort(value: unknown, charactersMax: number): boolean {
  return typeof value === 'string' && value.length <= charactersMax;
}
