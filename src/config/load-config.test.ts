import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { faultsOf, KEY, REAL } from '../../test/support/parts.js';
import { pemOf, rsaKeys } from '../../test/support/sign-token.js';
import { loadConfig, type Environment } from './load-config.js';

const IN_CLUSTER = (name: string): Environment => ({ [name]: 'http://service.cluster.test:8080/path' });

describe('configuration', () => {
  test('machines are subjects of the first issuer, or of the one that is named', () => {
    const { MACHINE_SUBJECTS } = loadConfig({ ...REAL, MACHINE_SUBJECTS: 'one, https://idp.test#two#2' });
    expect(MACHINE_SUBJECTS).toEqual([
      { issuer: undefined, subject: 'one' },
      { issuer: 'https://idp.test', subject: 'two#2' },
    ]);
  });

  test('without a key, several issuers are found by discovery; a token names one of several audiences', () => {
    const config = loadConfig({
      ...REAL,
      END_USER_SECRET: undefined,
      END_USER_ISSUER: 'https://idp.test, http://127.0.0.1:9/tenant/',
      END_USER_AUDIENCE: 'bff api://bff',
    });
    expect(config.END_USER_ISSUER).toEqual(['https://idp.test', 'http://127.0.0.1:9/tenant/']);
    expect(config.END_USER_AUDIENCE).toEqual(['bff', 'api://bff']);
    expect(config.END_USER_AUDIENCE_CLAIM).toBe('aud');
  });

  test.each(['END_USER_JWKS_URL', 'HIRER_ACCESS_URL'])(
    '%s may be plain http at a host of HTTP_HOSTS',
    (name) => {
      const environment = { ...REAL, END_USER_SECRET: undefined, ...IN_CLUSTER(name) };
      expect(loadConfig({ ...environment, HTTP_HOSTS: 'other.test, Service.Cluster.test' })).toMatchObject({
        [name]: new URL('http://service.cluster.test:8080/path'),
      });
    },
  );

  test('a whole configuration is read, typed and frozen', () => {
    const config = loadConfig({ ...REAL, PORT: '8080', CORS_ORIGINS: 'https://a.test, https://b.test:8443' });
    expect(config).toMatchObject({
      playground: false,
      PORT: 8080,
      CORS_ORIGINS: ['https://a.test', 'https://b.test:8443'],
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test.each<[string, Environment]>([
    ['PORT', { PORT: '80x' }],
    ['PORT', { PORT: '70000' }],
    ['UPSTREAM_TIMEOUT_MS', { UPSTREAM_TIMEOUT_MS: '10s' }],
    ['REGISTERED_ANSWER_LIMIT_BYTES', { REGISTERED_ANSWER_LIMIT_BYTES: '1048577' }],
    ['UPSTREAM_URL', { UPSTREAM_URL: 'http://upstream.test' }],
    ['UPSTREAM_URL', { UPSTREAM_URL: 'ftp://upstream.test' }],
    ['UPSTREAM_URL must not end in /graphql', { UPSTREAM_URL: 'https://upstream.test/v1/graphql/' }],
    ['PARTNER_CLIENT_ID is a placeholder', { PARTNER_CLIENT_ID: '<of your partner account>' }],
    [
      'END_USER_ISSUER item 2',
      {
        END_USER_SECRET: undefined,
        END_USER_ISSUER: 'https://idp.test https://b.test/.well-known/openid-configuration',
      },
    ],
    ['ISSUER_TOKEN_URL', { ISSUER_TOKEN_URL: 'http://10.0.0.1/token' }],
    ['ISSUER_TOKEN_URL', { ISSUER_TOKEN_URL: undefined }],
    ['PARTNER_CLIENT_SECRET', { PARTNER_CLIENT_SECRET: undefined }],
    ['END_USER_SECRET', { END_USER_SECRET: 'too short' }],
    [
      'END_USER_ISSUER item 1 must be an https URL',
      { END_USER_SECRET: undefined, END_USER_ISSUER: 'urn:idp' },
    ],
    [
      'END_USER_ISSUER item 2 must be an https URL',
      { END_USER_SECRET: undefined, END_USER_ISSUER: 'https://idp.test http://other.test' },
    ],
    [
      'END_USER_ISSUER names several issuers, whose keys only discovery finds: remove END_USER_SECRET',
      { END_USER_ISSUER: 'https://idp.test, https://other.test' },
    ],
    ['END_USER_AUDIENCE_CLAIM', { END_USER_AUDIENCE_CLAIM: '/a~2' }],
    ['HIRER_ACCESS_CLAIM', { HIRER_ACCESS_CLAIM: '/a~' }],
    ['END_USER_JWKS_URL and END_USER_SECRET', { END_USER_JWKS_URL: 'https://idp.test/jwks' }],
    ['END_USER_TOKEN_HEADER', { END_USER_TOKEN_HEADER: 'Authorization' }],
    ['END_USER_TOKEN_HEADER', { END_USER_TOKEN_HEADER: 'X Token' }],
    ['END_USER_TOKEN_HEADER', { END_USER_TOKEN_HEADER: 'X-Hirer-Id' }],
    ['END_USER_CLOCK_SKEW_SECONDS', { END_USER_CLOCK_SKEW_SECONDS: '301' }],
    ['END_USER_REQUIRED_CLAIM', { END_USER_REQUIRED_CLAIM: 'uid=' }],
    ['END_USER_REQUIRED_CLAIM', { END_USER_REQUIRED_CLAIM: '=access' }],
    ['END_USER_JWKS_URL must be https', { END_USER_SECRET: undefined, ...IN_CLUSTER('END_USER_JWKS_URL') }],
    ['HIRER_ACCESS_URL must be https', { HIRER_ACCESS: 'http', ...IN_CLUSTER('HIRER_ACCESS_URL') }],
    ...(['UPSTREAM_URL', 'ISSUER_TOKEN_URL', 'EVENT_SINK_URL'] as const).map(
      (name): [string, Environment] => [
        `${name} must be https`,
        { HTTP_HOSTS: 'service.cluster.test', ...IN_CLUSTER(name) },
      ],
    ),
    [
      'END_USER_ISSUER item 1 must be an https URL',
      { END_USER_SECRET: undefined, HTTP_HOSTS: 'service.cluster.test', ...IN_CLUSTER('END_USER_ISSUER') },
    ],
    ['HTTP_HOSTS', { HTTP_HOSTS: 'http://service.cluster.test' }],
    ['HTTP_HOSTS item 2', { HTTP_HOSTS: 'keys, .svc' }],
    ['MACHINE_SUBJECTS item 2', { MACHINE_SUBJECTS: 'a https://other.test#b' }],
    ['MACHINE_SUBJECTS item 1', { MACHINE_SUBJECTS: 'https://idp.test#' }],
    ['MACHINE_SUBJECTS item 1', { MACHINE_SUBJECTS: '#b' }],
    ['END_USER_ALGORITHMS', { END_USER_ALGORITHMS: 'none' }],
    ['END_USER_ALGORITHMS', { END_USER_ALGORITHMS: 'RS256' }],
    ['END_USER_ALGORITHMS', { END_USER_SECRET: undefined, END_USER_ALGORITHMS: 'HS256' }],
    ['END_USER_ISSUER', { END_USER_ISSUER: undefined }],
    ['END_USER_ISSUER', { END_USER_ISSUER: ' ' }],
    ['END_USER_AUDIENCE', { END_USER_AUDIENCE: ',' }],
    ['EVENT_SINK_RETRY_SECONDS', { EVENT_SINK_RETRY_SECONDS: ',' }],
    ['USER_ID_KEY', { USER_ID_KEY: 'a'.repeat(40) }],
    ['USER_ID_KEY', { USER_ID_KEY: 'change-me-change-me-change-me-change-me' }],
    ['SEALING_KEY', { SEALING_KEY: undefined }],
    ['USER_AGENT', { USER_AGENT: 'bff/1.0 \u2013 production' }],
    ['USER_AGENT', { USER_AGENT: 'bff/1.0\nx: y' }],
    ['WEBHOOK_SIGNATURE_HEADER', { WEBHOOK_SIGNATURE_HEADER: 'Seek Signature:' }],
    ['END_USER_COOKIE', { END_USER_COOKIE: 'session id' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://db.test/bff?port=abc' }],
    ['REDIS_URL', { REDIS_URL: 'redis://127.0.0.1/cache' }],
    ['REDIS_URL', { REDIS_URL: 'redis:cache' }],
    ['REDIS_URL', { REDIS_URL: 'redis://%E0%A4%A:x@127.0.0.1' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.300' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }],
    ['TRUST_PROXY', { TRUST_PROXY: '::/129' }],
    ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/0' }],
    ['OPS_TOKEN', { OPS_HOST: '0.0.0.0' }],
    ['OPS_PORT', { OPS_PORT: '3000' }],
    ['HIRER_ACCESS', { HIRER_ACCESS: 'ldap' }],
    ['HIRER_ACCESS_URL', { HIRER_ACCESS: 'http' }],
    ['WEBHOOK_SECRETS', { WEBHOOK_SECRETS: 'fifteen-bytes-0' }],
    ['WEBHOOK_SECRETS', { WEBHOOK_SECRETS: Array(5).fill('sixteen-bytes-01').join() }],
    ['WEBHOOK_SECRETS', { WEBHOOK_SECRETS: 'x'.repeat(256) }],
    ['EVENT_SINK_SECRET', { EVENT_SINK_URL: 'https://sink.test' }],
  ])('a start with a bad %s is refused by name', (name, change) => {
    expect(faultsOf({ ...REAL, ...change }).join('\n')).toContain(name);
  });

  test('every fault is reported at once, by name and never by value', () => {
    const wrong = {
      PORT: 'v4lue',
      UPSTREAM_URL: 'http://v4lue.test',
      CORS_ORIGINS: 'v4lue',
      TRUST_PROXY: 'v4lue',
      END_USER_PUBLIC_KEY: 'v4lue',
      END_USER_SECRET: 'v4lue',
      USER_ID_KEY: 'v4lue',
      ROLE_SCOPES: 'v4lue',
      WEBHOOK_SECRETS: 'v4lue',
      EVENT_SINK_SECRET: 'v4lue',
      ATTACHMENT_PATH_PATTERN: '(v4lue',
      OTEL_EXPORTER_OTLP_HEADERS: 'v4lue',
      DATABASE_URL: 'mysql://v4lue',
      OUTBOUND_PROXY: 'socks5://v4lue',
      OPERATIONS_DIR: '/v4lue',
    };
    const faults = faultsOf({
      ...REAL,
      ...wrong,
      EVENT_SINK_URL: 'https://sink.test',
      SEALING_KEY: undefined,
    });
    const names = ['END_USER_PUBLIC_KEY and END_USER_SECRET', ...Object.keys(wrong), 'SEALING_KEY'];
    expect(faults.map((fault) => names.find((name) => fault.startsWith(`${name} `)))).toEqual(
      expect.arrayContaining(names),
    );
    expect(faults).toHaveLength(names.length);
    expect(faults.join()).not.toContain('v4lue');
  });

  test('every wrong part of a list is named by its place', () => {
    const WEBHOOK_SECRETS = `short,${KEY},tiny`;
    expect(faultsOf({ ...REAL, WEBHOOK_SECRETS })).toEqual([
      'WEBHOOK_SECRETS secret 1 must have 16 to 255 bytes; secret 3 must have 16 to 255 bytes',
    ]);
  });

  test('secrets are read as the values that sign and verify', () => {
    expect(
      loadConfig({
        ...REAL,
        END_USER_SECRET: `${KEY}\n${KEY}!`,
        SEALING_KEY: `${KEY}, ${KEY}!`,
        WEBHOOK_SECRETS: `sixteen-bytes-01, sixteen-bytes-02, sixteen-bytes-03, ${'x'.repeat(255)}`,
        EVENT_SINK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')},${Buffer.alloc(64, 2).toString('base64')}`,
      }),
    ).toMatchObject({
      END_USER_SECRET: [KEY, `${KEY}!`],
      SEALING_KEY: [KEY, `${KEY}!`],
      WEBHOOK_SECRETS: ['sixteen-bytes-01', 'sixteen-bytes-02', 'sixteen-bytes-03', 'x'.repeat(255)],
      EVENT_SINK_SECRET: [Buffer.alloc(24, 1), Buffer.alloc(64, 2)],
    });
  });

  test('an algorithm that no public key can verify by is refused', () => {
    const END_USER_PUBLIC_KEY = pemOf(rsaKeys());
    expect(
      faultsOf({ ...REAL, END_USER_SECRET: undefined, END_USER_PUBLIC_KEY, END_USER_ALGORITHMS: 'ES256' }),
    ).toEqual([expect.stringContaining('END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY')]);
  });

  test.each([
    'nats://127.0.0.1:4222',
    'nats://token@localhost/partner.events',
    'tls://u:p%40ss@nats.test',
    'amqp://[::1]',
    'amqps://u:p@rabbit.test/v%2Fhost?exchange=e.1',
  ])('events go to a broker, with or without a secret: %s', (EVENT_SINK_URL) => {
    expect(loadConfig({ ...REAL, EVENT_SINK_URL }).EVENT_SINK_URL?.href).toBe(EVENT_SINK_URL);
  });

  test('a scope of a role that is not allowed is refused', () => {
    expect(faultsOf({ ...REAL, ROLE_SCOPES: 'viewer=query:secret' })).toEqual([
      'ROLE_SCOPES holds a scope that is not in ALLOWED_SCOPES; add it there or remove it',
    ]);
  });

  test('a value in a file is set once, and the file must be there', () => {
    const file = join(newFolder(), 'secret');
    writeFileSync(file, 'from-a-file');
    expect(faultsOf({ ...REAL, PARTNER_CLIENT_SECRET_FILE: file }).join()).toContain('both set');
    const gone = { ...REAL, PARTNER_CLIENT_SECRET: undefined, PARTNER_CLIENT_SECRET_FILE: '/none' };
    expect(faultsOf(gone).join()).toContain('PARTNER_CLIENT_SECRET_FILE');
  });
});
