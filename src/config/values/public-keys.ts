import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Reading } from './setting.js';

const HMAC = ['HS256', 'HS384', 'HS512'] as const;
const RSA_PKCS1 = ['RS256', 'RS384', 'RS512'] as const;
const RSA_PSS = ['PS256', 'PS384', 'PS512'] as const;
const ECDSA = ['ES256', 'ES384', 'ES512'] as const;
/** With Ed25519 keys alone (RFC 8037). */
export const EDDSA = 'EdDSA';

/** Signature algorithms that can be accepted (RFC 7518 section 3.1, RFC 8037); `none` is not among them. */
export const ALGORITHMS = [...HMAC, ...RSA_PKCS1, ...RSA_PSS, ...ECDSA, EDDSA] as const;

/** One of {@link ALGORITHMS}. */
export type Algorithm = (typeof ALGORITHMS)[number];

const RSA_BITS_MIN = 2048;
/** Larger keys, and larger exponents, make one signature take many milliseconds. */
const RSA_BITS_MAX = 8192;
const RSA_EXPONENT_MAX = 0xffff_ffffn;
const BY_CURVE: Readonly<Record<string, readonly Algorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

/** The algorithms a public key can verify; none for an RSA key of an unusual size, or an unsupported type. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  const { namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return BY_CURVE[namedCurve] ?? [];
  if (key.asymmetricKeyType === 'ed25519') return [EDDSA];
  if (!hasUsualSize(key)) return [];
  if (key.asymmetricKeyType === 'rsa') return [...RSA_PKCS1, ...RSA_PSS];
  return key.asymmetricKeyType === 'rsa-pss' ? RSA_PSS : [];
}

/** Anyone who knows an RSA key with the exponent 1 can sign with it. */
function hasUsualSize({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  const isModulusFit = modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX;
  return isModulusFit && publicExponent > 1n && publicExponent <= RSA_EXPONENT_MAX;
}

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
    `is a key of type ${key.asymmetricKeyType}, which cannot verify tokens here; use RSA of 2048 to 8192 bits, EC on P-256, P-384 or P-521, or Ed25519`,
  );
}
