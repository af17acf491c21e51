import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { TokenFaultWord } from '../../src/auth/token-fault.js';
import { BffError } from '../../src/errors/bff-error.js';
import { problemHeaders, toProblem } from '../../src/errors/problem.js';
import { anAuthenticator, staticKeys } from '../support/parts.js';
import { ecKeys, part, pemOf, rsaKeys, signToken } from '../support/sign-token.js';
import { bearer } from './bearer.js';

const NOW_SECONDS = 1_800_000_000;
const ISSUER = 'https://idp.test';
const AUDIENCE = 'partner-bff';

const keys = rsaKeys();
const others = rsaKeys();
const curve = ecKeys();
const authenticator = anAuthenticator(
  staticKeys({ END_USER_PUBLIC_KEY: [{ key: keys.publicKey, algorithms: ['RS256', 'PS256'] }] }),
  () => NOW_SECONDS * 1000,
  { END_USER_ISSUER: [ISSUER], END_USER_AUDIENCE: [AUDIENCE] },
);

const HEADER = { alg: 'RS256', typ: 'JWT' };
const PAYLOAD = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', iat: NOW_SECONDS - 60, exp: NOW_SECONDS + 600 };

const withHeader = (members: object) =>
  signToken({ ...HEADER, ...members }, PAYLOAD, keys.privateKey, 'RS256');
const withClaims = (members: object) => signToken(HEADER, { ...PAYLOAD, ...members }, keys.privateKey);
const without = (claim: string) =>
  signToken(
    HEADER,
    Object.fromEntries(Object.entries(PAYLOAD).filter(([name]) => name !== claim)),
    keys.privateKey,
  );
const unsigned = (header: object) => `${part(header)}.${part(PAYLOAD)}.`;

const good = withClaims({});
const [goodHeader, goodPayload, goodSignature] = good.split('.') as [string, string, string];
const pem = pemOf(keys);
const der = createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64');

const signedAs = (alg: string, key: Parameters<typeof signToken>[2], by = alg) =>
  signToken({ ...HEADER, alg }, PAYLOAD, key, by);
const joined = (header: unknown, signature = goodSignature) => `${part(header)}.${goodPayload}.${signature}`;
const bytes = Buffer.from(goodSignature, 'base64url');
const encoded = (signature: Buffer) => signature.toString('base64url');
const signedWith = (signature: string) => `${goodHeader}.${goodPayload}.${signature}`;
const ofPayload = (payload: unknown) => signToken(HEADER, payload, keys.privateKey);
const jwkOf = ({ publicKey }: typeof keys) => publicKey.export({ format: 'jwk' });

/** By the reason of their refusal; each differs in one respect from a token that is accepted. */
const FORGED: Readonly<Partial<Record<TokenFaultWord, Readonly<Record<string, string>>>>> = {
  algorithm_not_accepted: {
    'alg none, no signature': unsigned({ alg: 'none' }),
    'alg None': unsigned({ alg: 'None' }),
    'alg NONE with a signature': joined({ alg: 'NONE' }),
    'no alg': joined({ typ: 'JWT' }),
    'alg null': withHeader({ alg: null }),
    'an empty alg': withHeader({ alg: '' }),
    'an alg that is a list': withHeader({ alg: ['RS256'] }),
    'an alg that is a number': withHeader({ alg: 256 }),
    'an alg in lower case': withHeader({ alg: 'rs256' }),
    'HS256 keyed with the public key (PEM)': signedAs('HS256', pem),
    'HS256 keyed with the trimmed public key': signedAs('HS256', pem.trim()),
    'HS256 keyed with the public key (DER)': signedAs('HS256', der),
    'HS256 keyed with an empty secret': signedAs('HS256', ''),
    'HS384 keyed with the public key': signedAs('HS384', pem),
    'HS512 keyed with the public key': signedAs('HS512', pem),
    'an algorithm of the key that is not pinned': signedAs('RS512', keys.privateKey),
    'PS512, not pinned either': signedAs('PS512', keys.privateKey),
    'ES256 by a key of another kind': signedAs('ES256', curve.privateKey),
    EdDSA: signedAs('EdDSA', generateKeyPairSync('ed25519').privateKey),
  },
  wrong_signature: {
    'an HMAC under a header that says RS256': signedAs('RS256', pem, 'HS256'),
    'ES256 signature under RS256': signedAs('RS256', curve.privateKey, 'ES256'),
    'the signature of another key': signedAs('RS256', others.privateKey),
    'a PS256 signature under RS256': signedAs('RS256', keys.privateKey, 'PS256'),
    'an RS256 signature under PS256': signedAs('PS256', keys.privateKey, 'RS256'),
    'an RS512 signature under RS256': signedAs('RS256', keys.privateKey, 'RS512'),
    'a changed payload': `${goodHeader}.${part({ ...PAYLOAD, sub: 'bob' })}.${goodSignature}`,
    'a changed header': joined({ ...HEADER, kid: 'x' }),
    'an empty signature': signedWith(''),
    'a signature of zeros': signedWith(encoded(Buffer.alloc(256))),
    'a signature cut short': signedWith(encoded(bytes.subarray(0, -3))),
  },
  header_not_accepted: {
    jku: withHeader({ jku: 'https://evil.test/jwks.json' }),
    x5u: withHeader({ x5u: 'https://evil.test/cert.pem' }),
    'jwk, signed by that key': signToken({ ...HEADER, jwk: jwkOf(others) }, PAYLOAD, others.privateKey),
    'jwk, signed by the right key': withHeader({ jwk: jwkOf(keys) }),
    x5c: withHeader({ x5c: [der] }),
    crit: withHeader({ crit: ['exp'], exp: 1 }),
    'an empty crit': withHeader({ crit: [] }),
    'b64 false': withHeader({ b64: false, crit: ['b64'] }),
    zip: withHeader({ zip: 'DEF' }),
    enc: withHeader({ enc: 'A256GCM' }),
    'typ of a logout token': withHeader({ typ: 'logout+jwt' }),
    'typ of a DPoP proof': withHeader({ typ: 'dpop+jwt' }),
    'typ that is not text': withHeader({ typ: 7 }),
    'typ null': withHeader({ typ: null }),
    'kid that is a path and a list': withHeader({ kid: ['../../dev/null'] }),
  },
  malformed: {
    'alg none with two parts': `${part({ alg: 'none' })}.${goodPayload}`,
    'a signature with a changed last character': good.slice(0, -1) + otherLast(good),
    'a padded signature': `${good}==`,
    'a signature in plain base64': signedWith(bytes.toString('base64')),
    'a fourth part': `${good}.${goodSignature}`,
    'two parts': `${goodHeader}.${goodPayload}`,
    'a JWE of five parts': `${good}.AAAA.AAAA`,
    'a plain word': 'undefined',
    'a header that is not JSON': joined('{'),
    'a header that is a list': joined([HEADER]),
    'a header that is null': joined(null),
    'a payload that is not JSON': ofPayload('{"sub":'),
    'a payload that is a list': ofPayload([PAYLOAD]),
    'a payload that is text': ofPayload('"ada"'),
    'a payload that is null': ofPayload('null'),
  },
  wrong_issuer: {
    'no iss': without('iss'),
    'another iss': withClaims({ iss: 'https://evil.test' }),
    'an iss with an added slash': withClaims({ iss: `${ISSUER}/` }),
    'an iss in different case': withClaims({ iss: ISSUER.toUpperCase() }),
    'an iss that is a list': withClaims({ iss: [ISSUER] }),
  },
  wrong_audience: {
    'no aud': without('aud'),
    'another aud': withClaims({ aud: 'other-service' }),
    'an aud that only contains ours': withClaims({ aud: `${AUDIENCE}-2` }),
    'an aud list without ours': withClaims({ aud: ['other', `x ${AUDIENCE}`] }),
    'an empty aud list': withClaims({ aud: [] }),
    'an aud object': withClaims({ aud: { 0: AUDIENCE } }),
  },
  expired: { 'exp past the skew': withClaims({ exp: NOW_SECONDS - 30 }) },
  not_yet_valid: {
    'nbf in the future': withClaims({ nbf: NOW_SECONDS + 31 }),
    'iat in the future': withClaims({ iat: NOW_SECONDS + 31 }),
  },
  invalid_claim: {
    'no exp': without('exp'),
    'exp as text': withClaims({ exp: String(NOW_SECONDS + 600) }),
    'exp null': withClaims({ exp: null }),
    'exp beyond all time': withClaims({ exp: 1e300 }),
    'exp negative': withClaims({ exp: -1 }),
    'nbf as text': withClaims({ nbf: '0' }),
    'iat as text': withClaims({ iat: 'now' }),
    'no sub': without('sub'),
    'an empty sub': withClaims({ sub: '' }),
    'a sub that is a number': withClaims({ sub: 42 }),
    'a sub that is a list': withClaims({ sub: ['ada'] }),
    'a sub that is too long': withClaims({ sub: 'a'.repeat(256) }),
    'a sub that is too long in bytes': withClaims({ sub: 'é'.repeat(128) }),
    'a sub with a NUL': withClaims({ sub: 'ada\0' }),
    'a sub with a line break': withClaims({ sub: 'ada\nroot' }),
    'a sub that is half a character': withClaims({ sub: '\ud800' }),
  },
  id_token: {
    'an ID token (nonce)': withClaims({ nonce: 'n-0S6_WzA2Mj' }),
    'an ID token (at_hash)': withClaims({ at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }),
    'an ID token (c_hash)': withClaims({ c_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }),
    'an ID token (token_use)': withClaims({ token_use: 'id' }),
    'an ID token (typ)': withClaims({ typ: 'ID' }),
    'a refresh token (token_use)': withClaims({ token_use: 'refresh' }),
    'a refresh token (typ)': withClaims({ typ: 'Refresh' }),
    'a refresh token for later (typ)': withClaims({ typ: 'Offline' }),
    'a logout token (typ)': withClaims({ typ: 'Logout' }),
    'a logout token (events)': withClaims({ events: { 'urn:logout': {} } }),
  },
  token_too_long: { 'a token of more than 8 KiB': withClaims({ filler: 'x'.repeat(8_192) }) },
};

const ACCEPTED: readonly (readonly [string, string])[] = [
  ['without any flaw', good],
  ['without typ', withHeader({ typ: undefined })],
  ['of type at+jwt', withHeader({ typ: 'at+jwt' })],
  ['of type application/AT+JWT', withHeader({ typ: 'application/AT+JWT' })],
  ['with a kid', withHeader({ kid: '1' })],
  ['by PS256', signToken({ ...HEADER, alg: 'PS256' }, PAYLOAD, keys.privateKey)],
  ['for several audiences', withClaims({ aud: ['other', AUDIENCE] })],
  ['expired within the skew', withClaims({ exp: NOW_SECONDS - 29 })],
  ['not yet valid, within the skew', withClaims({ nbf: NOW_SECONDS + 30, iat: NOW_SECONDS + 30 })],
  ['with a claim that only looks like that of an ID token', withClaims({ s_hash: 'h' })],
  ['with the longest subject', withClaims({ sub: 'a'.repeat(255) })],
];

const FORGERIES = Object.entries(FORGED).flatMap(([reason, tokens]) =>
  Object.entries(tokens).map(([title, token]) => [title, reason, token] as const),
);

test.each(FORGERIES)('refused: %s, as %s', async (_title, reason, token) => {
  const refused = await authenticate(token).catch((error: unknown) => error as BffError);
  expect(refused).toBeInstanceOf(BffError);
  expect(refused).toMatchObject({ reason });
  expect(problemHeaders(refused as BffError)).toEqual({ 'www-authenticate': 'Bearer error="invalid_token"' });
  expect(toProblem(refused as BffError, 'id')).toEqual(toProblem(new BffError('unauthenticated'), 'id'));
});

test.each(ACCEPTED)('accepted: a token %s', async (_title, token) => {
  expect(await authenticate(token)).toMatchObject({ issuer: ISSUER });
});

async function authenticate(token: string) {
  return authenticator.authenticate(bearer(token));
}

function otherLast(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(token.at(-1)!) ^ 1]!; // flips a bit that decoders ignore
}

test('an ES256 signature of another length than the curve has is a wrong one, and no fault to report', async () => {
  const { privateKey, publicKey } = curve;
  const keysOfCurve = staticKeys({ END_USER_PUBLIC_KEY: [{ key: publicKey, algorithms: ['ES256'] }] });
  const onCurve = anAuthenticator(keysOfCurve, () => NOW_SECONDS * 1000);
  const [head, claims, signature] = signedAs('ES256', privateKey).split('.') as [string, string, string];
  for (const length of [1, 63]) {
    const cut = encoded(Buffer.from(signature, 'base64url').subarray(0, length));
    const verifying = onCurve.authenticate(bearer(`${head}.${claims}.${cut}`));
    await expect(verifying).rejects.toMatchObject({ message: 'wrong_signature' });
  }
});
