import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pemOf, rsaKeys } from '../../test/support/sign-token.js';
import { ConfigError, loadConfig, type Environment } from './load-config.js';
import { warnOfUnknownSettings } from './faults/unknown-settings.js';

const KEY = 'q7Jx2mVb9Lz4Rk8Tn1Wc6Yd3Hf5Gs0Pa';
const REAL: Environment = {
  UPSTREAM_URL: 'https://upstream.test',
  ISSUER_TOKEN_URL: 'https://issuer.test/oauth/token',
  PARTNER_CLIENT_ID: 'client',
  PARTNER_CLIENT_SECRET: 'a-client-secret',
  END_USER_SECRET: KEY,
  END_USER_ISSUER: 'https://idp.test',
  END_USER_AUDIENCE: 'bff',
  USER_ID_KEY: KEY,
  SEALING_KEY: KEY,
};

function faultsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('configuration', () => {
  test('needs no setting at all in playground mode', () => {
    expect(loadConfig({}).playground).toBe(true);
  });

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
    ['UPSTREAM_URL', { UPSTREAM_URL: 'http://upstream.test' }],
    ['UPSTREAM_URL', { UPSTREAM_URL: 'ftp://upstream.test' }],
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
    ['MACHINE_SUBJECTS item 2', { MACHINE_SUBJECTS: 'a https://other.test#b' }],
    ['MACHINE_SUBJECTS item 1', { MACHINE_SUBJECTS: 'https://idp.test#' }],
    ['MACHINE_SUBJECTS item 1', { MACHINE_SUBJECTS: '#b' }],
    ['END_USER_ALGORITHMS', { END_USER_ALGORITHMS: 'none' }],
    ['END_USER_ALGORITHMS', { END_USER_ALGORITHMS: 'RS256' }],
    ['END_USER_ISSUER', { END_USER_ISSUER: undefined }],
    ['USER_ID_KEY', { USER_ID_KEY: 'a'.repeat(40) }],
    ['USER_ID_KEY', { USER_ID_KEY: 'change-me-change-me-change-me-change-me' }],
    ['SEALING_KEY', { SEALING_KEY: undefined }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'null' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.test/path' }],
    ['OPS_TOKEN', { OPS_HOST: '0.0.0.0' }],
    ['OPS_PORT', { OPS_PORT: '3000' }],
    ['HIRER_ACCESS', { HIRER_ACCESS: 'ldap' }],
    ['HIRER_ACCESS_URL', { HIRER_ACCESS: 'http' }],
    ['WEBHOOK_SECRETS', { WEBHOOK_SECRETS: 'short' }],
    ['WEBHOOK_SECRETS', { WEBHOOK_SECRETS: Array(11).fill('sixteen-bytes-01').join() }],
    [
      'WEBHOOK_SUBSCRIPTION_SECRETS',
      { WEBHOOK_SUBSCRIPTION_SECRETS: Array(5).fill('s:1=sixteen-bytes-01').join() },
    ],
    ['EVENT_SINK_SECRET', { EVENT_SINK_URL: 'https://sink.test' }],
  ])('a start with a bad %s is refused by name', (name, change) => {
    expect(faultsOf({ ...REAL, ...change }).join('\n')).toContain(name);
  });

  test('headers of the collector are name=value pairs; a malformed one is a fault that repeats no value', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'x-api-key=a=b, x-tenant = two words';
    expect(loadConfig({ ...REAL, OTEL_EXPORTER_OTLP_HEADERS }).OTEL_EXPORTER_OTLP_HEADERS).toEqual({
      'x-api-key': 'a=b',
      'x-tenant': 'two words',
    });
    for (const text of ['x-api-key=a,s3cret', 'x-api-key=', '=s3cret', 's3 cret=a', 'x-api-key=s3\ncret']) {
      expect(faultsOf({ ...REAL, OTEL_EXPORTER_OTLP_HEADERS: text }).join()).toMatch(
        /^OTEL_EXPORTER_OTLP_HEADERS pair \d must be written as name=value$/,
      );
    }
  });

  test('resource attributes are name=value pairs, percent-encoded; a malformed one is a fault', () => {
    const OTEL_RESOURCE_ATTRIBUTES = 'service.namespace=hiring, team=jobs%2C%20ads,note=a=b';
    expect(loadConfig({ ...REAL, OTEL_RESOURCE_ATTRIBUTES }).OTEL_RESOURCE_ATTRIBUTES).toEqual({
      'service.namespace': 'hiring',
      team: 'jobs, ads',
      note: 'a=b',
    });
    for (const text of ['team', 'team=', '=jobs', 'team=%', 'team=%ff']) {
      expect(faultsOf({ ...REAL, OTEL_RESOURCE_ATTRIBUTES: text }).join()).toMatch(
        /^OTEL_RESOURCE_ATTRIBUTES pair 1 (must be written as name=value|has a value that is not percent-encoded)/,
      );
    }
  });

  test.each(['OTEL_SERVICE_NAME', 'REPLICA_NAME'])('%s is a short printable text', (name) => {
    expect(loadConfig({ ...REAL, [name]: 'jobs-bff (blue)' })).toMatchObject({ [name]: 'jobs-bff (blue)' });
    for (const text of ['a\nb', ' ', 'a ', 'x'.repeat(256)]) {
      expect(faultsOf({ ...REAL, [name]: text }).join()).toContain(name);
    }
  });

  test('every fault is reported at once, by name and never by value', () => {
    const wrong = {
      PORT: 'v4lue',
      CORS_ORIGINS: 'v4lue',
      TRUST_PROXY: 'v4lue',
      END_USER_PUBLIC_KEY: 'v4lue',
      END_USER_SECRET: 'v4lue',
      USER_ID_KEY: 'v4lue',
      ROLE_SCOPES: 'v4lue',
      WEBHOOK_SECRETS: 'v4lue',
      WEBHOOK_SUBSCRIPTION_SECRETS: 'v4lue',
      EVENT_SINK_SECRET: 'v4lue',
      ATTACHMENT_PATH_PATTERN: '(v4lue',
      OTEL_EXPORTER_OTLP_HEADERS: 'v4lue',
      DATABASE_URL: 'mysql://v4lue',
      DATA_DIR: '/dev/null/v4lue',
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

  test('a folder that data can be kept in need not exist, and is not made', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'bff-')), 'a', 'b');
    expect(faultsOf({ ...REAL, DATA_DIR: folder })).toEqual([]);
    expect(existsSync(dirname(folder))).toBe(false);
  });

  test('a folder for data is not looked at where none is used', () => {
    expect(faultsOf({ ...REAL, DATA_DIR: '/dev/null/data', DATABASE_URL: 'postgres://db.test/bff' })).toEqual(
      [],
    );
    expect(faultsOf({ ...REAL, DATA_DIR: ':memory:' })).toEqual([]);
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
        WEBHOOK_SECRETS: 'sixteen-bytes-01, sixteen-bytes-02',
        WEBHOOK_SUBSCRIPTION_SECRETS: 'sub:1=sixteen-bytes-0=, sub:1 = sixteen-bytes-03',
        EVENT_SINK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')},${Buffer.alloc(64, 2).toString('base64')}`,
      }),
    ).toMatchObject({
      END_USER_SECRET: [KEY, `${KEY}!`],
      SEALING_KEY: [KEY, `${KEY}!`],
      WEBHOOK_SECRETS: ['sixteen-bytes-01', 'sixteen-bytes-02'],
      WEBHOOK_SUBSCRIPTION_SECRETS: [
        { id: 'sub:1', secret: 'sixteen-bytes-0=' },
        { id: 'sub:1', secret: 'sixteen-bytes-03' },
      ],
      EVENT_SINK_SECRET: [Buffer.alloc(24, 1), Buffer.alloc(64, 2)],
    });
  });

  test.each([
    ['of too few bytes', Buffer.alloc(23, 1).toString('base64')],
    ['of too many bytes', Buffer.alloc(65, 1).toString('base64')],
    ['that is not base64', `whsec_${'v4lue!'.repeat(6)}`],
  ])('a key of deliveries %s is refused', (_why, EVENT_SINK_SECRET) => {
    expect(faultsOf({ ...REAL, EVENT_SINK_SECRET })).toEqual([
      'EVENT_SINK_SECRET secret 1 must be whsec_ and base64 of 24 to 64 bytes',
    ]);
  });

  test('an algorithm that no public key can verify by is refused', () => {
    const END_USER_PUBLIC_KEY = pemOf(rsaKeys());
    expect(
      faultsOf({ ...REAL, END_USER_SECRET: undefined, END_USER_PUBLIC_KEY, END_USER_ALGORITHMS: 'ES256' }),
    ).toEqual([expect.stringContaining('END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY')]);
  });

  test('a scope of a role that is not allowed is refused', () => {
    expect(faultsOf({ ...REAL, ROLE_SCOPES: 'viewer=query:secret' })).toEqual([
      'ROLE_SCOPES holds a scope that is not in ALLOWED_SCOPES; add it there or remove it',
    ]);
  });

  test.each<[string, Environment]>([
    ['NODE_ENV', { NODE_ENV: 'production' }],
    ['NODE_ENV', { NODE_ENV: 'Production' }],
    ['NODE_ENV', { NODE_ENV: ' PRODUCTION ' }],
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

  test('no fault repeats a value', () => {
    const values = ['v4lue-one', 'v4lue-two', 'http://v4lue-three.test', 'v4lue-four'];
    const faults = faultsOf({
      ...REAL,
      PORT: values[0],
      END_USER_SECRET: values[1],
      UPSTREAM_URL: values[2],
      WEBHOOK_SECRETS: values[3],
    });
    expect(faults.length).toBeGreaterThanOrEqual(4);
    expect(faults.join()).not.toContain('v4lue');
  });

  test('a value may be read from a file, without its line end', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'bff-')), 'secret');
    writeFileSync(file, 'from-a-file\n');
    const rest = { ...REAL, PARTNER_CLIENT_SECRET: undefined };
    expect(loadConfig({ ...rest, PARTNER_CLIENT_SECRET_FILE: file }).PARTNER_CLIENT_SECRET).toBe(
      'from-a-file',
    );
    expect(faultsOf({ ...REAL, PARTNER_CLIENT_SECRET_FILE: file }).join()).toContain('both set');
    expect(faultsOf({ ...rest, PARTNER_CLIENT_SECRET_FILE: `${file}.gone` }).join()).toContain(
      'PARTNER_CLIENT_SECRET_FILE',
    );
  });

  test('an unknown name with a familiar prefix causes a warning with the nearest one', () => {
    expect(
      warnOfUnknownSettings({ UPSTREAM_TIMEOUT: '5', HOME: '/', PORT: '1', PLAYGROUND_SEED: '1' }),
    ).toEqual([expect.stringContaining('did you mean UPSTREAM_TIMEOUT_MS?')]);
  });
});
