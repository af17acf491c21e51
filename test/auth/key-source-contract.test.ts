import { createPublicKey } from 'node:crypto';
import { pino } from 'pino';
import type { Algorithm } from '../../src/config/values/public-keys.js';
import { readPublicKeys, type PublicKey } from '../../src/config/values/public-keys.js';
import { StaticKeys } from '../../src/auth/keys/static-keys.js';
import { JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import { fetchKeySet } from '../../src/auth/keys/discovery.js';
import type { KeySource } from '../../src/auth/keys/key-source.js';
import { CLIENT_SETTINGS, anAuthenticator } from '../support/parts.js';
import { json, startJsonServer } from '../support/json-server.js';
import { endsByItself } from '../support/machine.js';
import { jwkOf, pemOf, rsaKeys, signToken } from '../support/sign-token.js';
import { bearer } from './bearer.js';

const NOW_SECONDS = 1_800_000_000;
const current = rsaKeys();
const next = rsaKeys();
const SECRET = 'a secret of thirty-two bytes or more';
const NEXT_SECRET = 'the next secret of thirty-two bytes';

interface Subject {
  readonly source: KeySource;
  readonly alg: Algorithm;
  /** Signs with the current key, or with the one that replaces it. */
  sign(payload: object, which?: 'current' | 'next'): string;
  replace(): Promise<void>;
}

const bySecret = (payload: object, which = 'current') =>
  signToken({ alg: 'HS256' }, payload, which === 'current' ? SECRET : NEXT_SECRET);
const byRsa = (payload: object, which = 'current') =>
  signToken({ alg: 'RS256', kid: which }, payload, (which === 'current' ? current : next).privateKey);
const keysOf = (text: string): readonly PublicKey[] =>
  (readPublicKeys(text) as { value: readonly PublicKey[] }).value;

const ADAPTERS: readonly [string, () => Promise<Subject>][] = [
  [
    'END_USER_SECRET',
    async () => {
      const secrets = { current: { END_USER_SECRET: [SECRET], END_USER_PUBLIC_KEY: [] } };
      const source = new StaticKeys(secrets);
      const replace = async () => {
        secrets.current = { ...secrets.current, END_USER_SECRET: [NEXT_SECRET] };
      };
      return { source, alg: 'HS256', sign: bySecret, replace };
    },
  ],
  [
    'END_USER_PUBLIC_KEY (PEM)',
    async () => {
      const secrets = { current: { END_USER_SECRET: [], END_USER_PUBLIC_KEY: keysOf(pemOf(current)) } };
      const source = new StaticKeys(secrets, ['RS256']);
      const replace = async () => {
        secrets.current = { ...secrets.current, END_USER_PUBLIC_KEY: keysOf(pemOf(next)) };
      };
      return { source, alg: 'RS256', sign: byRsa, replace };
    },
  ],
  [
    'END_USER_JWKS_URL',
    async () => {
      const server = await startJsonServer(json({ keys: [jwkOf(current, { kid: 'current' })] }));
      const fetchSet = (): Promise<unknown> => fetchKeySet(server.url, CLIENT_SETTINGS);
      const source = new JwksKeys(fetchSet, ['RS256'], pino({ level: 'silent' }));
      endsByItself(() => source.onApplicationShutdown());
      await source.fetch();
      const replace = async () => {
        server.answer = json({ keys: [jwkOf(next, { kid: 'next' })] });
        await source.fetch();
      };
      return { source, alg: 'RS256', sign: byRsa, replace };
    },
  ],
];

describe.each(ADAPTERS)('the keys of %s', (_name, open) => {
  let subject: Subject;
  beforeEach(async () => (subject = await open()));

  const verify = (token: string) => {
    const authenticator = anAuthenticator(subject.source, () => NOW_SECONDS * 1000);
    return authenticator.authenticate(bearer(token));
  };
  const claims = { iss: 'https://idp.test', aud: 'partner-bff', sub: 'ada', exp: NOW_SECONDS + 60 };

  test('verify a token of the current key, and none of another key', async () => {
    expect(await verify(subject.sign(claims))).toMatchObject({ subject: 'ada' });
    await expect(verify(subject.sign(claims, 'next'))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('are never private', async () => {
    const { source, alg } = subject;
    for await (const key of source.find({ alg, kid: undefined })) {
      expect(['secret', 'public']).toContain(key.type);
      if (alg === 'RS256') expect(key.equals(createPublicKey(pemOf(current)))).toBe(true);
    }
  });

  test('pin the algorithm', () => {
    const { source, alg } = subject;
    expect(source.algorithms).toEqual([alg]);
  });

  test('of the next generation verify none of the tokens of the one before', async () => {
    const { source, replace } = subject;
    const { generation } = source;
    await replace();
    expect(source.generation).not.toBe(generation);
    await expect(verify(subject.sign(claims))).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await verify(subject.sign(claims, 'next'))).toMatchObject({ subject: 'ada' });
  });
});
