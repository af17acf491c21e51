import { faultsOf, KEY, REAL } from '../../test/support/parts.js';
import { loadConfig, type Environment } from './load-config.js';

test('the playground needs no setting at all', () => {
  expect(loadConfig({}).playground).toBe(true);
});

test.each<[string, Environment]>([
  ['NODE_ENV', { NODE_ENV: 'production' }],
  ['NODE_ENV', { NODE_ENV: 'Production' }],
  ['NODE_ENV', { NODE_ENV: ' PRODUCTION ' }],
  ['NODE_ENV', { NODE_ENV: '"production"\r' }],
  ['ISSUER_TOKEN_URL', { ISSUER_TOKEN_URL: 'https://issuer.test/oauth/token' }],
  ['PARTNER_CLIENT_ID', { PARTNER_CLIENT_ID: 'client' }],
  ['PARTNER_CLIENT_SECRET_FILE', { PARTNER_CLIENT_SECRET_FILE: '/run/secrets/none' }],
  ['PARTNER_AUDIENCE', { PARTNER_AUDIENCE: 'https://api.test' }],
  ['END_USER_JWKS_URL', { END_USER_JWKS_URL: 'https://idp.test/jwks' }],
  ['END_USER_PUBLIC_KEY_FILE', { END_USER_PUBLIC_KEY_FILE: '/run/secrets/none' }],
  ['END_USER_SECRET', { END_USER_SECRET: KEY }],
  ['END_USER_ISSUER', { END_USER_ISSUER: 'https://idp.test' }],
  ['END_USER_AUDIENCE', { END_USER_AUDIENCE: 'bff' }],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://db.test/bff' }],
  ['DATABASE_URL_FILE', { DATABASE_URL_FILE: '/run/secrets/none' }],
  ['REDIS_URL', { REDIS_URL: 'rediss://cache.test' }],
  ['OPS_HOST', { OPS_HOST: '0.0.0.0', OPS_TOKEN: KEY }],
])('the playground is not entered by accident: %s without UPSTREAM_URL is a fault', (name, environment) => {
  const fault = faultsOf(environment).find((text) => text.startsWith('UPSTREAM_URL is required'));
  expect(fault).toContain(name);
});

test('every setting of a real deployment except UPSTREAM_URL is one fault, which names them all', () => {
  const faults = faultsOf({ ...REAL, UPSTREAM_URL: undefined });
  expect(faults).toHaveLength(1);
  for (const name of ['ISSUER_TOKEN_URL', 'PARTNER_CLIENT_ID', 'END_USER_SECRET', 'END_USER_AUDIENCE']) {
    expect(faults[0]).toContain(name);
  }
});

test('the playground starts with settings of the service itself', () => {
  const own = {
    PORT: '0',
    DATA_DIR: './elsewhere',
    WEBHOOK_SECRETS: KEY,
    OPS_HOST: '::1',
    NODE_ENV: 'test',
  };
  expect(
    loadConfig({ ...own, OPS_TOKEN: KEY, USER_ID_KEY: KEY, RATE_LIMIT_REQUESTS_PER_MINUTE: '0' }),
  ).toMatchObject({
    playground: true,
  });
});
