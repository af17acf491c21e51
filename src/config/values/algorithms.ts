import type { KeyObject } from 'node:crypto';

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

/** True if a text names an algorithm that can be accepted. */
export function isAlgorithm(name: string): name is Algorithm {
  return (ALGORITHMS as readonly string[]).includes(name);
}
