import { generateKeyPairSync } from 'node:crypto';
import { ecKeys, edKeys, jwkOf, pemOf, rsaKeys } from '../../../test/support/sign-token.js';
import { readPublicKeys } from './public-keys.js';

const rsa = rsaKeys();
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ed448 = generateKeyPairSync('ed448');

describe('public keys', () => {
  test.each([
    ['PEM, RSA', pemOf(rsa), RSA],
    ['PEM with its line ends written out', pemOf(rsa).replaceAll('\n', '\\n'), RSA],
    ['JWK, RSA', JSON.stringify(jwkOf(rsa)), RSA],
    ['PEM, RSA-PSS', pemOf(pss), ['PS256', 'PS384', 'PS512']],
    ['PEM, P-256', pemOf(ecKeys('P-256')), ['ES256']],
    ['JWK, P-384', JSON.stringify(jwkOf(ecKeys('P-384'))), ['ES384']],
    ['PEM, P-521', pemOf(ecKeys('P-521')), ['ES512']],
    ['JWK, Ed25519', JSON.stringify(jwkOf(edKeys())), ['EdDSA']],
  ])('%s pins the algorithms of its type', (_title, text, algorithms) => {
    expect(readPublicKeys(text)).toEqual({ value: [{ key: expect.anything(), algorithms }] });
  });

  test('several are read from PEM blocks one after the other, and from a JWK set', () => {
    const curve = ecKeys('P-256');
    const algorithmsOf = (text: string) => {
      const reading = readPublicKeys(text);
      return 'value' in reading && reading.value.map(({ algorithms }) => algorithms);
    };
    expect(algorithmsOf(pemOf(rsa) + pemOf(curve))).toEqual([RSA, ['ES256']]);
    expect(algorithmsOf(JSON.stringify({ keys: [jwkOf(curve), jwkOf(rsa)] }))).toEqual([['ES256'], RSA]);
  });

  test.each([
    [
      'a private key (PEM)',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      /private key/,
    ],
    ['a private key (JWK)', JSON.stringify(rsa.privateKey.export({ format: 'jwk' })), /private key/],
    ['a shared secret (JWK)', JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), /END_USER_SECRET/],
    ['Ed448', pemOf(ed448), /type ed448, which cannot verify/],
    ['Ed448 (JWK)', JSON.stringify(jwkOf(ed448)), /type ed448, which cannot verify/],
    ['secp256k1', pemOf(ecKeys('secp256k1')), /cannot verify/],
    ['RSA of 1024 bits', pemOf(rsaKeys(1024)), /2048 to 8192 bits/],
    ['RSA with which anybody can sign', JSON.stringify(jwkOf(rsa, { e: 'AQ' })), /2048 to 8192 bits/],
    ['RSA with a large exponent', JSON.stringify(jwkOf(rsa, { e: jwkOf(rsa)['n'] })), /2048 to 8192 bits/],
    ['more than ten keys', pemOf(rsa).repeat(11), /more than 10 keys/],
    ['a PEM that is broken', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /neither a PEM/],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /neither a PEM/],
    ['JSON that is not a JWK', '{"kty":"RSA"}', /neither a PEM/],
    ['JSON that is broken', '{"kty":', /neither a PEM/],
    ['any text', 'secret-text-that-is-no-key', /neither a PEM/],
    ['an empty JWK set', '{"keys":[]}', /without a key/],
  ])('%s is refused, and the fault does not repeat it', (_title, text, fault) => {
    const reading = readPublicKeys(text);
    expect(reading).toEqual({ fault: expect.stringMatching(fault) });
    expect(JSON.stringify(reading)).not.toMatch(/AAAA|secret-text|c2VjcmV0/);
  });
});
