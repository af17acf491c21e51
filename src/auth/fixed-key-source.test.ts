import { generateKeyPairSync } from 'node:crypto';
import { ConfigError } from '../config/load-config.js';
import { ecKeys, jwkOf, pemOf, rsaKeys } from '../../test/support/sign-token.js';
import type { Algorithm } from './algorithms.js';
import { FixedKeySource } from './fixed-key-source.js';

const rsa = rsaKeys();
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');

describe('the key of END_USER_PUBLIC_KEY', () => {
  test.each([
    ['PEM, RSA', pemOf(rsa), RSA],
    ['PEM with escaped line ends', pemOf(rsa).replaceAll('\n', '\\n'), RSA],
    ['JWK, RSA', JSON.stringify(jwkOf(rsa)), RSA],
    ['PEM, RSA-PSS', pemOf(pss), ['PS256', 'PS384', 'PS512']],
    ['PEM, P-256', pemOf(ecKeys('P-256')), ['ES256']],
    ['JWK, P-384', JSON.stringify(jwkOf(ecKeys('P-384'))), ['ES384']],
    ['PEM, P-521', pemOf(ecKeys('P-521')), ['ES512']],
  ])('%s pins the algorithms of its type', (_title, text, algorithms) => {
    expect(FixedKeySource.publicKey(text, []).algorithms).toEqual(algorithms);
  });

  test('END_USER_ALGORITHMS narrows them', () => {
    expect(FixedKeySource.publicKey(pemOf(rsa), ['RS256']).algorithms).toEqual(['RS256']);
  });

  test('each of several keys is used for its own algorithms only', () => {
    const ec = ecKeys('P-256');
    const source = FixedKeySource.publicKey(pemOf(rsa) + pemOf(ec), ['RS256', 'ES256']);
    const found = (alg: Algorithm) => source.find({ alg, kid: undefined });
    expect(found('RS256')).toEqual([rsa.publicKey]);
    expect(found('ES256')).toEqual([ec.publicKey]);
    for (const alg of ['RS512', 'PS256', 'HS256'] as const) expect(() => found(alg)).toThrow('no key fits');
  });

  test.each([
    [
      'a private key (PEM)',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      /private key/,
    ],
    ['a private key (JWK)', JSON.stringify(rsa.privateKey.export({ format: 'jwk' })), /private key/],
    ['a shared secret (JWK)', JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), /END_USER_SECRET/],
    ['Ed25519', pemOf(ed25519), /type ed25519, which cannot verify/],
    ['Ed25519 (JWK)', JSON.stringify(jwkOf(ed25519)), /type ed25519, which cannot verify/],
    ['secp256k1', pemOf(ecKeys('secp256k1')), /cannot verify/],
    ['RSA of 1024 bits', pemOf(rsaKeys(1024)), /fewer than 2048 bits/],
    ['a malformed PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /neither a PEM/],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /neither a PEM/],
    ['JSON that is not a JWK', '{"kty":"RSA"}', /neither a PEM/],
    ['malformed JSON', '{"kty":', /neither a PEM/],
    ['other text', 'secret-text-that-is-no-key', /neither a PEM/],
  ])('%s prevents the start, with the name of the setting and without its value', (_title, text, fault) => {
    const build = () => FixedKeySource.publicKey(text, []);
    expect(build).toThrow(ConfigError);
    expect(build).toThrow(/END_USER_PUBLIC_KEY/);
    expect(build).toThrow(fault);
    expect(build).not.toThrow(/AAAA|secret-text|c2VjcmV0/);
  });

  test('algorithms that do not fit the key prevent the start', () => {
    expect(() => FixedKeySource.publicKey(pemOf(rsa), ['ES256'])).toThrow(/END_USER_ALGORITHMS does not fit/);
  });
});

test('a shared secret verifies HS256 unless END_USER_ALGORITHMS says otherwise', () => {
  const secret = 'a secret of thirty-two bytes or more';
  expect(FixedKeySource.secret(secret, []).algorithms).toEqual(['HS256']);
  expect(FixedKeySource.secret(secret, ['HS512']).algorithms).toEqual(['HS512']);
});
