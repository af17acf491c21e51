/* eslint-disable max-lines -- one table of forgeries */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { StaticKeys } from '../../src/auth/keys/static-keys.js';
import type { TokenFaultWord } from '../../src/auth/token-fault.js';
import { BffError } from '../../src/errors/bff-error.js';
import { problemHeaders, toProblem } from '../../src/errors/problem.js';
import { anAuthenticator } from '../support/parts.js';
import { ecKeys, part, pemOf, rsaKeys, signToken } from '../support/sign-token.js';

const NOW_SECONDS = 1_800_000_000;
const ISSUER = 'https://idp.test';
const AUDIENCE = 'partner-bff';

const keys = rsaKeys();
const others = rsaKeys();
const curve = ecKeys();
const authenticator = anAuthenticator(
  new StaticKeys([{ key: keys.publicKey, algorithms: ['RS256', 'PS256'] }]),
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

/** Each differs in one respect from a token that is accepted. */
const FORGED: readonly (readonly [title: string, reason: TokenFaultWord, token: string])[] = [
  ['alg none, no signature', 'algorithm_not_accepted', unsigned({ alg: 'none' })],
  ['alg None', 'algorithm_not_accepted', unsigned({ alg: 'None' })],
  [
    'alg NONE with a signature',
    'algorithm_not_accepted',
    `${part({ alg: 'NONE' })}.${goodPayload}.${goodSignature}`,
  ],
  ['alg none with two parts', 'malformed', `${part({ alg: 'none' })}.${goodPayload}`],
  ['no alg', 'algorithm_not_accepted', `${part({ typ: 'JWT' })}.${goodPayload}.${goodSignature}`],
  ['an empty alg', 'algorithm_not_accepted', withHeader({ alg: '' })],
  ['an alg that is a list', 'algorithm_not_accepted', withHeader({ alg: ['RS256'] })],
  ['an alg that is a number', 'algorithm_not_accepted', withHeader({ alg: 256 })],
  ['an alg in lower case', 'algorithm_not_accepted', withHeader({ alg: 'rs256' })],
  [
    'HS256 keyed with the public key (PEM)',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, pem),
  ],
  [
    'HS256 keyed with the trimmed public key',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, pem.trim()),
  ],
  [
    'HS256 keyed with the public key (DER)',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, der),
  ],
  [
    'HS256 keyed with an empty secret',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS256' }, PAYLOAD, ''),
  ],
  [
    'HS384 keyed with the public key',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS384' }, PAYLOAD, pem),
  ],
  [
    'HS512 keyed with the public key',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'HS512' }, PAYLOAD, pem),
  ],
  ['an HMAC under a header that says RS256', 'wrong_signature', signToken(HEADER, PAYLOAD, pem, 'HS256')],
  [
    'an algorithm of the key that is not pinned',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'RS512' }, PAYLOAD, keys.privateKey),
  ],
  [
    'PS512, not pinned either',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'PS512' }, PAYLOAD, keys.privateKey),
  ],
  [
    'ES256 by a key of another kind',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'ES256' }, PAYLOAD, curve.privateKey),
  ],
  ['ES256 signature under RS256', 'wrong_signature', signToken(HEADER, PAYLOAD, curve.privateKey, 'ES256')],
  [
    'EdDSA',
    'algorithm_not_accepted',
    signToken({ ...HEADER, alg: 'EdDSA' }, PAYLOAD, generateKeyPairSync('ed25519').privateKey),
  ],
  ['the signature of another key', 'wrong_signature', signToken(HEADER, PAYLOAD, others.privateKey)],
  ['a PS256 signature under RS256', 'wrong_signature', signToken(HEADER, PAYLOAD, keys.privateKey, 'PS256')],
  [
    'an RS256 signature under PS256',
    'wrong_signature',
    signToken({ ...HEADER, alg: 'PS256' }, PAYLOAD, keys.privateKey, 'RS256'),
  ],
  ['an RS512 signature under RS256', 'wrong_signature', signToken(HEADER, PAYLOAD, keys.privateKey, 'RS512')],
  ['jku', 'header_not_accepted', withHeader({ jku: 'https://evil.test/jwks.json' })],
  ['x5u', 'header_not_accepted', withHeader({ x5u: 'https://evil.test/cert.pem' })],
  [
    'jwk, signed by that key',
    'header_not_accepted',
    signToken({ ...HEADER, jwk: others.publicKey.export({ format: 'jwk' }) }, PAYLOAD, others.privateKey),
  ],
  [
    'jwk, signed by the right key',
    'header_not_accepted',
    withHeader({ jwk: keys.publicKey.export({ format: 'jwk' }) }),
  ],
  ['x5c', 'header_not_accepted', withHeader({ x5c: [der] })],
  ['crit', 'header_not_accepted', withHeader({ crit: ['exp'], exp: 1 })],
  ['an empty crit', 'header_not_accepted', withHeader({ crit: [] })],
  ['b64 false', 'header_not_accepted', withHeader({ b64: false, crit: ['b64'] })],
  ['zip', 'header_not_accepted', withHeader({ zip: 'DEF' })],
  ['enc', 'header_not_accepted', withHeader({ enc: 'A256GCM' })],
  ['typ of a logout token', 'header_not_accepted', withHeader({ typ: 'logout+jwt' })],
  ['typ of a DPoP proof', 'header_not_accepted', withHeader({ typ: 'dpop+jwt' })],
  ['typ that is not text', 'header_not_accepted', withHeader({ typ: 7 })],
  ['typ null', 'header_not_accepted', withHeader({ typ: null })],
  ['kid that is a path and a list', 'header_not_accepted', withHeader({ kid: ['../../dev/null'] })],
  [
    'a changed payload',
    'wrong_signature',
    `${goodHeader}.${part({ ...PAYLOAD, sub: 'bob' })}.${goodSignature}`,
  ],
  ['a changed header', 'wrong_signature', `${part({ ...HEADER, kid: 'x' })}.${goodPayload}.${goodSignature}`],
  ['an empty signature', 'wrong_signature', `${goodHeader}.${goodPayload}.`],
  [
    'a signature of zeros',
    'wrong_signature',
    `${goodHeader}.${goodPayload}.${Buffer.alloc(256).toString('base64url')}`,
  ],
  [
    'a signature cut short',
    'wrong_signature',
    `${goodHeader}.${goodPayload}.${Buffer.from(goodSignature, 'base64url').subarray(0, -3).toString('base64url')}`,
  ],
  ['a signature with a changed last character', 'malformed', good.slice(0, -1) + otherLast(good)],
  ['a padded signature', 'malformed', `${good}==`],
  [
    'a signature in plain base64',
    'malformed',
    `${goodHeader}.${goodPayload}.${Buffer.from(goodSignature, 'base64url').toString('base64')}`,
  ],
  ['a fourth part', 'malformed', `${good}.${goodSignature}`],
  ['two parts', 'malformed', `${goodHeader}.${goodPayload}`],
  ['a JWE of five parts', 'malformed', `${good}.AAAA.AAAA`],
  ['a plain word', 'malformed', 'undefined'],
  ['a header that is not JSON', 'malformed', `${part('{')}.${goodPayload}.${goodSignature}`],
  ['a header that is a list', 'malformed', `${part([HEADER])}.${goodPayload}.${goodSignature}`],
  ['a header that is null', 'malformed', `${part(null)}.${goodPayload}.${goodSignature}`],
  ['a payload that is not JSON', 'malformed', signToken(HEADER, '{"sub":', keys.privateKey)],
  ['a payload that is a list', 'malformed', signToken(HEADER, [PAYLOAD], keys.privateKey)],
  ['a payload that is text', 'malformed', signToken(HEADER, '"ada"', keys.privateKey)],
  ['a payload that is null', 'not_verified', signToken(HEADER, 'null', keys.privateKey)],
  ['no iss', 'wrong_issuer', without('iss')],
  ['another iss', 'wrong_issuer', withClaims({ iss: 'https://evil.test' })],
  ['an iss with an added slash', 'wrong_issuer', withClaims({ iss: `${ISSUER}/` })],
  ['an iss in different case', 'wrong_issuer', withClaims({ iss: ISSUER.toUpperCase() })],
  ['an iss that is a list', 'wrong_issuer', withClaims({ iss: [ISSUER] })],
  ['no aud', 'wrong_audience', without('aud')],
  ['another aud', 'wrong_audience', withClaims({ aud: 'other-service' })],
  ['an aud that only contains ours', 'wrong_audience', withClaims({ aud: `${AUDIENCE}-2` })],
  ['an aud list without ours', 'wrong_audience', withClaims({ aud: ['other', `x ${AUDIENCE}`] })],
  ['an empty aud list', 'wrong_audience', withClaims({ aud: [] })],
  ['an aud object', 'wrong_audience', withClaims({ aud: { 0: AUDIENCE } })],
  ['no exp', 'invalid_exp', without('exp')],
  ['exp past the skew', 'expired', withClaims({ exp: NOW_SECONDS - 30 })],
  ['exp as text', 'invalid_exp', withClaims({ exp: String(NOW_SECONDS + 600) })],
  ['exp null', 'invalid_exp', withClaims({ exp: null })],
  ['exp beyond all time', 'invalid_exp', withClaims({ exp: 1e300 })],
  ['exp negative', 'invalid_exp', withClaims({ exp: -1 })],
  ['nbf in the future', 'not_yet_valid', withClaims({ nbf: NOW_SECONDS + 31 })],
  ['nbf as text', 'invalid_nbf', withClaims({ nbf: '0' })],
  ['iat in the future', 'not_yet_valid', withClaims({ iat: NOW_SECONDS + 31 })],
  ['iat as text', 'invalid_iat', withClaims({ iat: 'now' })],
  [
    'a life longer than allowed',
    'lifetime_too_long',
    withClaims({ iat: NOW_SECONDS - 60, exp: NOW_SECONDS + 86_400 }),
  ],
  [
    'a life longer than allowed, without iat',
    'lifetime_too_long',
    signToken(HEADER, { ...PAYLOAD, iat: undefined, exp: NOW_SECONDS + 86_401 }, keys.privateKey),
  ],
  ['no sub', 'invalid_sub', without('sub')],
  ['an empty sub', 'invalid_sub', withClaims({ sub: '' })],
  ['a sub that is a number', 'invalid_sub', withClaims({ sub: 42 })],
  ['a sub that is a list', 'invalid_sub', withClaims({ sub: ['ada'] })],
  ['a sub that is too long', 'invalid_sub', withClaims({ sub: 'a'.repeat(256) })],
  ['a sub that is too long in bytes', 'invalid_sub', withClaims({ sub: 'é'.repeat(128) })],
  ['a sub with a NUL', 'invalid_sub', withClaims({ sub: 'ada\0' })],
  ['a sub with a line break', 'invalid_sub', withClaims({ sub: 'ada\nroot' })],
  ['a sub that is half a character', 'invalid_sub', withClaims({ sub: '\ud800' })],
  ['an ID token (nonce)', 'id_token', withClaims({ nonce: 'n-0S6_WzA2Mj' })],
  ['an ID token (at_hash)', 'id_token', withClaims({ at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
  ['an ID token (c_hash)', 'id_token', withClaims({ c_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' })],
  ['an ID token (token_use)', 'id_token', withClaims({ token_use: 'id' })],
  ['an ID token (typ)', 'id_token', withClaims({ typ: 'ID' })],
  ['a refresh token (token_use)', 'id_token', withClaims({ token_use: 'refresh' })],
  ['a refresh token (typ)', 'id_token', withClaims({ typ: 'Refresh' })],
  ['a refresh token for later (typ)', 'id_token', withClaims({ typ: 'Offline' })],
  ['a logout token (typ)', 'id_token', withClaims({ typ: 'Logout' })],
  ['a logout token (events)', 'id_token', withClaims({ events: { 'urn:logout': {} } })],
  ['a token of more than 8 KiB', 'token_too_long', withClaims({ filler: 'x'.repeat(8_192) })],
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
  ['with a claim that only looks like that of an ID token', withClaims({ s_hash: 'h' })],
  ['with the longest subject', withClaims({ sub: 'a'.repeat(255) })],
];

test.each(FORGED)('refused: %s, as %s', async (_title, reason, token) => {
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
