import { constants, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { json, startJsonServer, type JsonServer } from './json-server.js';

/** A key pair to sign test tokens with. */
export interface SigningKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new RSA pair. */
export function rsaKeys(modulusLength = 2048): SigningKeys {
  return generateKeyPairSync('rsa', { modulusLength });
}

/** A new elliptic-curve pair. */
export function ecKeys(namedCurve = 'P-256'): SigningKeys {
  return generateKeyPairSync('ec', { namedCurve });
}

/** A new Ed25519 pair. */
export function edKeys(): SigningKeys {
  return generateKeyPairSync('ed25519');
}

/** The public key as a JWK with further members. */
export function jwkOf({ publicKey }: SigningKeys, members: object = {}): Record<string, unknown> {
  return { ...publicKey.export({ format: 'jwk' }), ...members };
}

/** The public key as PEM (SPKI). */
export function pemOf({ publicKey }: SigningKeys): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

/** One part of a token: JSON, or text that is no JSON. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** A token with exactly this header and payload, signed by the algorithm that the header names, or by another. */
export function signToken(
  header: Record<string, unknown>,
  payload: unknown,
  key: KeyObject | string,
  algorithm = String(header['alg']),
): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signature(algorithm, input, key).toString('base64url')}`;
}

function signature(algorithm: string, input: string, key: KeyObject | string): Buffer {
  const digest = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('HS')) return createHmac(digest, key).update(input).digest();
  if (typeof key === 'string') throw new Error('a text signs by HMAC only');
  const data = Buffer.from(input);
  if (algorithm.startsWith('ES')) return sign(digest, data, { key, dsaEncoding: 'ieee-p1363' });
  if (algorithm.startsWith('RS')) return sign(digest, data, key);
  if (algorithm === 'EdDSA') return sign(null, data, key);
  return sign(digest, data, {
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
}

/** An OpenID provider on loopback: a discovery document, a JWK set of one key, and tokens. */
export interface Issuer {
  /** `iss`; it ends with a slash. */
  readonly url: string;
  readonly alg: string;
  readonly keys: SigningKeys;
  readonly server: JsonServer;
  /** The discovery document; a test may put another in its place. */
  document: object;
  /** A token that its key signs, for the audience `partner-bff`. */
  sign(claims: Record<string, unknown>): string;
}

/** Starts a provider; the key's id is the same at every one. */
export async function startIssuer(alg: string, keys: SigningKeys): Promise<Issuer> {
  const server = await startJsonServer(json({}));
  const url = `${server.url.href}tenant/`;
  const issuer: Issuer = {
    url,
    alg,
    keys,
    server,
    document: { issuer: url, jwks_uri: `${server.url.href}keys?v=1` },
    sign: (claims) =>
      signToken({ alg, kid: 'k' }, { iss: url, aud: 'partner-bff', ...claims }, keys.privateKey),
  };
  const answers: Record<string, () => unknown> = {
    '/tenant/.well-known/openid-configuration': () => issuer.document,
    '/keys?v=1': () => ({ keys: [jwkOf(keys, { kid: 'k' })] }),
  };
  server.answer = (received, response) => {
    const found = answers[received.url];
    json(found?.() ?? {}, found ? 200 : 404)(received, response);
  };
  return issuer;
}
