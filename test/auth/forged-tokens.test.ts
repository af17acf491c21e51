import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { FixedKeySource } from '../../src/auth/fixed-key-source.js';
import { RotatingKeySource } from '../../src/auth/rotating-key-source.js';
import { BffError } from '../../src/errors/bff-error.js';
import { problemHeaders, toProblem } from '../../src/errors/problem.js';
import { anAuthenticator } from '../support/an-authenticator.js';
import { ecKeys, part, pemOf, rsaKeys, signToken } from '../support/sign-token.js';

const NOW_SECONDS = 1_800_000_000;
const ISSUER = 'https://idp.test';
const AUDIENCE = 'partner-bff';

const keys = rsaKeys();
const others = rsaKeys();
const curve = ecKeys();
const authenticator = anAuthenticator(
  new RotatingKeySource(
    FixedKeySource.publicKeys([{ key: keys.publicKey, algorithms: ['RS256', 'PS256'] }], []),
  ),
  () => NOW_SECONDS * 1000,
  { END_USER_ISSUER: ISSUER, END_USER_AUDIENCE: AUDIENCE },
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

/** Each differs in one respect from a token that is accepted. */
const FORGED: readonly (readonly [string, string])[] = [
  ['alg none, no signature', unsigned({ alg: 'none' })],
  ['alg None', unsigned({ alg: 'None' })],
  ['alg NONE with a signature', `${part({ alg: 'NONE' })}.${goodPayload}.${goodSignature}`],
  ['alg none with two parts', `${part({ alg: 'none' })}.${goodPayload}`],
  ['no alg', `${part({ typ: 'JWT' })}.${goodPayload}.${goodSignature}`],
  ['an empty alg', withHeader({ alg: '' })],
  ['an alg that is a list', withHeader({ alg: ['RS256'] })],
  ['an alg that is a number', withHeader({ alg: 256 })],
  ['an alg in lower case', withHeader({ alg: 'rs256' })],
  ['HS256 keyed with the public key (PEM)', signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, pem)],
  ['HS256 keyed with the trimmed public key', signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, pem.trim())],
  ['HS256 keyed with the public key (DER)', signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, der)],
  ['HS256 keyed with an empty secret', signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, '')],
  ['HS384 keyed with the public key', signToken({ ...HEADER, alg: 'HS384' }, PAYLOAD, pem)],
  ['HS512 keyed with the public key', signToken({ ...HEADER, alg: 'HS512' }, PAYLOAD, pem)],
  ['an HMAC under a header that says RS256', signToken(HEADER, PAYLOAD, pem, 'HS256')],
  [
    'an algorithm of the key that is not pinned',
    signToken({ ...HEADER, alg: 'RS512' }, PAYLOAD, keys.privateKey),
  ],
  ['PS512, not pinned either', signToken({ ...HEADER, alg: 'PS512' }, PAYLOAD, keys.privateKey)],
  ['ES256 by a key of another kind', signToken({ ...HEADER, alg: 'ES256' }, PAYLOAD, curve.privateKey)],
  ['ES256 signature under RS256', signToken(HEADER, PAYLOAD, curve.privateKey, 'ES256')],
  ['EdDSA', signToken({ ...HEADER, alg: 'EdDSA' }, PAYLOAD, generateKeyPairSync('ed25519').privateKey)],
  ['the signature of another key', signToken(HEADER, PAYLOAD, others.privateKey)],
  ['a PS256 signature under RS256', signToken(HEADER, PAYLOAD, keys.privateKey, 'PS256')],
  [
    'an RS256 signature under PS256',
    signToken({ ...HEADER, alg: 'PS256' }, PAYLOAD, keys.privateKey, 'RS256'),
  ],
  ['an RS512 signature under RS256', signToken(HEADER, PAYLOAD, keys.privateKey, 'RS512')],
  ['jku', withHeader({ jku: 'https://evil.test/jwks.json' })],
  ['x5u', withHeader({ x5u: 'https://evil.test/cert.pem' })],
  [
    'jwk, signed by that key',
    signToken({ ...HEADER, jwk: others.publicKey.export({ format: 'jwk' }) }, PAYLOAD, others.privateKey),
  ],
  ['jwk, signed by the right key', withHeader({ jwk: keys.publicKey.export({ format: 'jwk' }) })],
  ['x5c', withHeader({ x5c: [der] })],
  ['crit', withHeader({ crit: ['exp'], exp: 1 })],
  ['an empty crit', withHeader({ crit: [] })],
  ['b64 false', withHeader({ b64: false, crit: ['b64'] })],
  ['zip', withHeader({ zip: 'DEF' })],
  ['enc', withHeader({ enc: 'A256GCM' })],
  ['typ of a logout token', withHeader({ typ: 'logout+jwt' })],
  ['typ of a DPoP proof', withHeader({ typ: 'dpop+jwt' })],
  ['typ that is not text', withHeader({ typ: 7 })],
  ['typ null', withHeader({ typ: null })],
  ['kid that is a path and a list', withHeader({ kid: ['../../dev/null'] })],
  ['a changed payload', `${goodHeader}.${part({ ...PAYLOAD, sub: 'bob' })}.${goodSignature}`],
  ['a changed header', `${part({ ...HEADER, kid: 'x' })}.${goodPayload}.${goodSignature}`],
  ['an empty signature', `${goodHeader}.${goodPayload}.`],
  ['a signature of zeros', `${goodHeader}.${goodPayload}.${Buffer.alloc(256).toString('base64url')}`],
  ['a signature cut short', good.slice(0, -4)],
  ['a signature with a changed last character', good.slice(0, -1) + otherLast(good)],
  ['a padded signature', `${good}==`],
  [
    'a signature in plain base64',
    `${goodHeader}.${goodPayload}.${Buffer.from(goodSignature, 'base64url').toString('base64')}`,
  ],
  ['a fourth part', `${good}.${goodSignature}`],
  ['two parts', `${goodHeader}.${goodPayload}`],
  ['a JWE of five parts', `${good}.AAAA.AAAA`],
  ['a plain word', 'undefined'],
  ['a header that is not JSON', `${part('{')}.${goodPayload}.${goodSignature}`],
  ['a header that is a list', `${part([HEADER])}.${goodPayload}.${goodSignature}`],
  ['a header that is null', `${part(null)}.${goodPayload}.${goodSignature}`],
  ['a payload that is not JSON', signToken(HEADER, '{"sub":', keys.privateKey)],
  ['a payload that is a list', signToken(HEADER, [PAYLOAD], keys.privateKey)],
  ['a payload that is text', signToken(HEADER, '"ada"', keys.privateKey)],
  ['a payload that is null', signToken(HEADER, 'null', keys.privateKey)],
  ['no iss', without('iss')],
  ['another iss', withClaims({ iss: 'https://evil.test' })],
  ['an iss with an added slash', withClaims({ iss: `${ISSUER}/` })],
  ['an iss in different case', withClaims({ iss: ISSUER.toUpperCase() })],
  ['an iss that is a list', withClaims({ iss: [ISSUER] })],
  ['no aud', without('aud')],
  ['another aud', withClaims({ aud: 'other-service' })],
  ['an aud that only contains ours', withClaims({ aud: `${AUDIENCE}-2` })],
  ['an aud list without ours', withClaims({ aud: ['other', `x ${AUDIENCE}`] })],
  ['an empty aud list', withClaims({ aud: [] })],
  ['an aud object', withClaims({ aud: { 0: AUDIENCE } })],
  ['no exp', without('exp')],
  ['exp past the skew', withClaims({ exp: NOW_SECONDS - 30 })],
  ['exp as text', withClaims({ exp: String(NOW_SECONDS + 600) })],
  ['exp null', withClaims({ exp: null })],
  ['exp beyond all time', withClaims({ exp: 1e300 })],
  ['exp negative', withClaims({ exp: -1 })],
  ['nbf in the future', withClaims({ nbf: NOW_SECONDS + 31 })],
  ['nbf as text', withClaims({ nbf: '0' })],
  ['iat in the future', withClaims({ iat: NOW_SECONDS + 31 })],
  ['iat as text', withClaims({ iat: 'now' })],
  ['a life longer than allowed', withClaims({ iat: NOW_SECONDS - 60, exp: NOW_SECONDS + 86_400 })],
  [
    'a life longer than allowed, without iat',
    signToken(HEADER, { ...PAYLOAD, iat: undefined, exp: NOW_SECONDS + 86_401 }, keys.privateKey),
  ],
  ['no sub', without('sub')],
  ['an empty sub', withClaims({ sub: '' })],
  ['a sub that is a number', withClaims({ sub: 42 })],
  ['a sub that is a list', withClaims({ sub: ['ada'] })],
  ['a sub that is too long', withClaims({ sub: 'a'.repeat(256) })],
  ['a sub that is too long in bytes', withClaims({ sub: 'é'.repeat(128) })],
  ['a sub with a NUL', withClaims({ sub: 'ada\0' })],
  ['a sub with a line break', withClaims({ sub: 'ada\nroot' })],
  ['a sub that is half a character', withClaims({ sub: '\ud800' })],
  ['an ID token (nonce)', withClaims({ nonce: 'n-0S6_WzA2Mj' })],
  ['an ID token (at_hash)', withClaims({ at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
  ['an ID token (c_hash)', withClaims({ c_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
  ['an ID token (token_use)', withClaims({ token_use: 'id' })],
  ['an ID token (typ)', withClaims({ typ: 'ID' })],
  ['a token of more than 8 KiB', withClaims({ filler: 'x'.repeat(8_192) })],
];

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
  ['of the longest life', withClaims({ iat: NOW_SECONDS - 1, exp: NOW_SECONDS + 86_399 })],
  ['with the longest subject', withClaims({ sub: 'a'.repeat(255) })],
];

test('the table has at least ninety entries', () => expect(FORGED.length).toBeGreaterThanOrEqual(90));

test.each(FORGED)('refused: %s', async (_title, token) => {
  const refused = await authenticate(token).catch((error: unknown) => error as BffError);
  expect(refused).toBeInstanceOf(BffError);
  expect(problemHeaders(refused as BffError)).toEqual({ 'www-authenticate': 'Bearer error="invalid_token"' });
  expect(toProblem(refused as BffError, 'id')).toEqual(toProblem(new BffError('unauthenticated'), 'id'));
});

test.each(ACCEPTED)('accepted: a token %s', async (_title, token) => {
  expect(await authenticate(token)).toMatchObject({ issuer: ISSUER });
});

async function authenticate(token: string) {
  const authorization = `Bearer ${token}`;
  return authenticator.authenticate({
    method: 'POST',
    headers: { authorization },
    rawHeaders: ['Authorization', authorization],
  });
}

function otherLast(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(token.at(-1)!) ^ 1]!; // flips a bit that decoders ignore
}
