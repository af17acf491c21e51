import { readFileSync } from 'node:fs';
import { loadConfig, type Config } from '../../src/config/load-config.js';
import { anAuthenticator, REAL, staticKeys } from '../support/parts.js';
import { edKeys, rsaKeys, signToken } from '../support/sign-token.js';
import { bearer } from './bearer.js';

// The forms of tokens are those that the providers document; settings are those of the page.

const PAGE = readFileSync('docs/identity-providers.md', 'utf8');

/** The settings of a section of the page, as the service reads them: of its first example, or a later one. */
function settingsOf(provider: string, place = 0): Config {
  const section = PAGE.split(`## ${provider}\n`)[1]!.split('\n## ')[0]!;
  const lines = [...section.matchAll(/```sh\n([^`]+)```/g)][place]![1]!.trim().split('\n');
  const settings = Object.fromEntries(
    lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  return loadConfig({
    ...REAL,
    END_USER_SECRET: undefined,
    END_USER_ISSUER: undefined,
    END_USER_AUDIENCE: undefined,
    ...settings,
  });
}

const NOW_SECONDS = 1_800_000_000;
const rsa = rsaKeys();
const ed = edKeys();
const source = staticKeys({
  END_USER_PUBLIC_KEY: [
    { key: rsa.publicKey, algorithms: ['RS256'] },
    { key: ed.publicKey, algorithms: ['EdDSA'] },
  ],
});
const TIMES = { iat: NOW_SECONDS - 60, exp: NOW_SECONDS + 600 };

/** An access token as a provider makes them: members of its header, and claims beside issuer, subject and times. */
type Form = readonly [section: string, header: object, claims: Record<string, unknown>];

const BEARER = { typ: 'Bearer', azp: 'frontend', nonce: 'n', sid: 's' };
const FORMS: readonly Form[] = [
  [
    'Auth0',
    {},
    { aud: ['https://bff.partner.example', 'https://partner.au.auth0.com/userinfo'], azp: 'app' },
  ],
  ['Entra ID', {}, { aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3', ver: '2.0', azp: 'app', scp: 'access' }],
  ['Cognito', {}, { token_use: 'access', client_id: '1example23456789', scope: 'openid' }],
  ['Keycloak', {}, { aud: ['partner-bff', 'account'], ...BEARER }],
  ['Okta', {}, { aud: 'api://default', cid: 'app', uid: 'u', ver: 1, scp: ['openid'] }],
  [
    'Google',
    { kid: 'k' },
    {
      aud: 'partner-project',
      auth_time: NOW_SECONDS - 60,
      user_id: 'ada',
      hirers: [],
      firebase: { identities: { 'google.com': ['1'] }, sign_in_provider: 'google.com' },
    },
  ],
  ['Several issuers', { typ: 'at+jwt' }, { aud: 'partner-bff', nonce: 'n', at_hash: 'h' }],
];

function verify([section, header, claims]: Form) {
  const settings = settingsOf(section);
  const payload = { iss: settings.END_USER_ISSUER[0], sub: 'ada', ...TIMES, ...claims };
  const token = signToken({ alg: 'RS256', typ: 'JWT', ...header }, payload, rsa.privateKey);
  const authenticator = anAuthenticator(source, () => NOW_SECONDS * 1000, settings);
  return authenticator.authenticate(bearer(token));
}

test.each(FORMS)('an access token of %s is accepted', async (...form) => {
  const [issuer] = settingsOf(form[0]).END_USER_ISSUER;
  expect(await verify(form)).toMatchObject({ issuer, subject: 'ada' });
});

test.each(FORMS)('one of %s for another audience, or of another issuer, is refused', async (...form) => {
  const [section, header, claims] = form;
  const forged = (change: object) => verify([section, header, { ...claims, ...change }]);
  const elsewhere = { aud: 'elsewhere', client_id: 'elsewhere' };
  await expect(forged(elsewhere)).rejects.toMatchObject({ message: 'wrong_audience' });
  await expect(forged({ iss: 'https://elsewhere.test' })).rejects.toMatchObject({ message: 'wrong_issuer' });
});

const AUTHENTIK = { aud: '5example', nonce: 'n', at_hash: 'h', auth_time: NOW_SECONDS - 60 };

test('only the required claim distinguishes an access token of authentik from its ID tokens', async () => {
  const accepted = verify(['Any OpenID provider', {}, { ...AUTHENTIK, azp: '5example', uid: 'u' }]);
  expect(await accepted).toMatchObject({ subject: 'ada' });
  for (const idToken of [AUTHENTIK, { aud: '5example' }, { aud: '5example', typ: 'Bearer' }]) {
    await expect(verify(['Any OpenID provider', {}, idToken])).rejects.toMatchObject({ message: 'id_token' });
  }
});

test.each<Form>([
  ['Keycloak', {}, { aud: 'partner-bff', ...BEARER, typ: 'ID' }],
  ['Keycloak', { typ: 'at+jwt' }, { aud: 'partner-bff', ...BEARER, typ: 'ID' }],
  ['Cognito', {}, { token_use: 'id', aud: '1example23456789', client_id: '1example23456789' }],
  ['Auth0', {}, { aud: 'https://bff.partner.example', nonce: 'n' }],
  ['Entra ID', {}, { aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3', ver: '2.0', at_hash: 'h' }],
  ['Google', {}, { aud: 'partner-project', azp: 'app', email: 'ada@example.com', at_hash: 'h' }],
])('an ID token of %s is refused', async (...form) => {
  await expect(verify(form)).rejects.toMatchObject({ code: 'unauthenticated', message: 'id_token' });
});

test('a token of a service account at Google is of a machine, by its numeric id alone', async () => {
  const subject = '112010400000000710080';
  const settings = settingsOf('Google', 1);
  const claims = { aud: 'https://bff.partner.example', azp: subject, email: 'bff@partner-project.test' };
  const verified = async (sub: string, more: object = {}) => {
    const payload = { iss: 'https://accounts.google.com', sub, ...TIMES, ...claims, ...more };
    const token = signToken({ alg: 'RS256', kid: 'k', typ: 'JWT' }, payload, rsa.privateKey);
    const authenticator = anAuthenticator(source, () => NOW_SECONDS * 1000, settings);
    return authenticator.authenticate(bearer(token));
  };
  expect(await verified(subject)).toMatchObject({ isMachine: true });
  expect(await verified('another account')).not.toHaveProperty('isMachine');
  await expect(verified(subject, { aud: 'app.apps.googleusercontent.com' })).rejects.toMatchObject({
    message: 'wrong_audience',
  });
});
