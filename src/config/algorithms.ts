import type { KeyObject } from 'node:crypto';

/** Signature algorithms that can be accepted (RFC 7518 section 3.1); `none` is not among them. */
export type Algorithm = `${'HS' | 'RS' | 'PS' | 'ES'}${'256' | '384' | '512'}`;

const RSA_BITS_MIN = 2048;
const RSA_PSS: readonly Algorithm[] = ['PS256', 'PS384', 'PS512'];
const RSA: readonly Algorithm[] = ['RS256', 'RS384', 'RS512', ...RSA_PSS];
const BY_CURVE: Readonly<Record<string, readonly Algorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

/** The algorithms a public key can verify; none for a key that is too short or of another kind. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return BY_CURVE[namedCurve] ?? [];
  if (modulusLength < RSA_BITS_MIN) return [];
  if (key.asymmetricKeyType === 'rsa') return RSA;
  return key.asymmetricKeyType === 'rsa-pss' ? RSA_PSS : [];
}

/** Whether a text names an algorithm that can be accepted. */
export function isAlgorithm(name: string): name is Algorithm {
  return /^(RS|PS|ES|HS)(256|384|512)$/.test(name);
}
