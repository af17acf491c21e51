import { createPublicKey, type KeyObject } from 'node:crypto';
import { algorithmsOf, type Algorithm } from './algorithms.js';
import type { Reading } from './setting.js';

/** A key that verifies signatures, with the algorithms that fit it: at least one. */
export interface PublicKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

/** Why a text holds no usable key; the message is the fault. */
class UnfitKey extends Error {}

/** These keys have no ids: each is tried for a token of its type. */
const KEYS_MAX = 10;
const MALFORMED = 'is neither a PEM public key (SPKI) nor a JWK';

/**
 * Reads public keys: PEM (SPKI) blocks one after the other, their line ends possibly written as `\n`; a JWK; or a JWK
 * set. A private or shared key is refused: it belongs on no machine that only verifies.
 */
export function readPublicKeys(text: string): Reading<readonly PublicKey[]> {
  try {
    const keys = parseKeys(text.trim());
    if (keys.length > KEYS_MAX) throw new UnfitKey(`holds more than ${KEYS_MAX} keys`);
    return { value: keys.map(fitted) };
  } catch (error) {
    return { fault: error instanceof UnfitKey ? error.message : MALFORMED };
  }
}

function parseKeys(text: string): KeyObject[] {
  if (text.includes('PRIVATE KEY')) throw new UnfitKey('holds a private key; give the public key alone');
  if (!text.startsWith('{')) return pemBlocks(text).map((pem) => createPublicKey(pem));
  const jwk = JSON.parse(text) as Record<string, unknown>;
  const set = Array.isArray(jwk['keys']) ? (jwk['keys'] as Record<string, unknown>[]) : [jwk];
  if (set.length === 0) throw new UnfitKey('is a JWK set without a key');
  return set.map(readJwk);
}

function readJwk(jwk: Record<string, unknown>): KeyObject {
  if ('d' in jwk) throw new UnfitKey('holds a private key; give the public key alone');
  if (jwk['kty'] === 'oct') throw new UnfitKey('holds a shared secret; that belongs in END_USER_SECRET');
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Each PEM. Anything but `BEGIN PUBLIC KEY` is refused, certificates above all: nothing here checks their dates. */
function pemBlocks(text: string): string[] {
  const blocks = text.replaceAll('\\n', '\n').split(/(?=-----BEGIN )/);
  if (!blocks.every((pem) => pem.startsWith('-----BEGIN PUBLIC KEY-----'))) throw new UnfitKey(MALFORMED);
  return blocks;
}

function fitted(key: KeyObject): PublicKey {
  const algorithms = algorithmsOf(key);
  if (algorithms.length > 0) return { key, algorithms };
  throw new UnfitKey(
    key.asymmetricKeyType === 'rsa'
      ? 'is an RSA key that is not of 2048 to 8192 bits with an exponent of 32 bits at most'
      : `is a key of type ${key.asymmetricKeyType}, which cannot verify tokens here; use RSA, EC on P-256, P-384 or P-521, or Ed25519`,
  );
}
