/* eslint-disable max-lines -- one command, each thing that it tries */
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { exportJWK, generateKeyPair } from 'jose';
import { makeCertificate } from '../../playground/src/http/certificate.js';
import type { Environment } from '../../src/config/load-config.js';
import { json, startJsonServer, type JsonServer, SINK_SECRET } from '../support/json-server.js';
import { portOf } from '../support/machine.js';
import { runCommand } from '../support/start-process.js';
import { TEST_KEYS } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { found, useDoctor, type Finding } from './doctor-setup.js';

const NAMES = [
  'settings',
  'issuer',
  'token endpoint',
  'graphql',
  'end-user keys',
  'database',
  'redis',
  'sink',
  'service',
  'operations',
  'subscriptions',
  'clock of issuer',
  'clock of upstream',
  'clock of end-user keys',
];

const { examine, check, stack } = useDoctor();

const sinkAt = (EVENT_SINK_URL: string): Environment => ({ EVENT_SINK_URL, EVENT_SINK_SECRET: SINK_SECRET });

test('everything that is well is ok, in one order, with exit code 0', async () => {
  const { code, findings } = await examine({ OPERATIONS_DIR: 'shipped' });
  expect(findings.map(({ name }) => name)).toEqual(NAMES);
  expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
  expect(code).toBe(0);
  expect(found(findings, 'token endpoint')).toMatchObject({
    state: 'ok',
    seen: 'issued a browser token, valid for 3600 s',
  });
  expect(found(findings, 'operations').seen).toMatch(/^\d+ operations: 0 faults/);
  expect(found(findings, 'database').seen).toBe('embedded, in use by the running service');
});

test('what the running service says is wrong is a line for each condition, a page a fail', async () => {
  const condition = { since: '2026-01-02T03:04:05Z', summary: 'The sink fails.', action: 'restart it' };
  const items = [
    { ...condition, name: 'issuer-failing', severity: 'page', active: true },
    { ...condition, name: 'events-late', severity: 'ticket', active: true },
    { ...condition, name: 'upstream-slow', severity: 'ticket', active: false },
  ];
  const service = await startJsonServer((received, response) =>
    json(received.url === '/conditions' ? { items } : {})(received, response),
  );
  const { code, findings } = await examine({ OPS_PORT: service.url.port });
  const seen = { seen: 'The sink fails. Since 2026-01-02T03:04:05Z.', todo: 'restart it' };
  expect(findings.filter(({ name }) => name.startsWith('service'))).toEqual([
    { name: 'service, issuer-failing', state: 'fail', ...seen },
    { name: 'service, events-late', state: 'warn', ...seen },
  ]);
  expect(code).toBe(1);
});

test('each is one line: its state, its name, what was seen, and what to do where it is not ok', async () => {
  const { out } = await runCommand(['doctor'], { ...stack.environment, UPSTREAM_URL: 'http://127.0.0.1:1' });
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(NAMES.length - 1); // no clock of an upstream that is not there
  for (const line of lines) expect(line).toMatch(/^(ok   |(warn|fail) {1,2}.* -> .)/);
});

test.each<[string, Environment, string]>([
  ['an issuer that refuses the credentials', { PARTNER_CLIENT_SECRET: 'wrong-secret-of-doctor' }, 'issuer'],
  ['an issuer that is not there', { ISSUER_TOKEN_URL: 'http://127.0.0.1:1/token' }, 'issuer'],
  ['an upstream that is not there', { UPSTREAM_URL: 'http://127.0.0.1:1' }, 'graphql'],
  ['a JWK set that is not there', { END_USER_JWKS_URL: 'http://127.0.0.1:1/jwks' }, 'end-user keys'],
  ['a database that is not there', { DATABASE_URL: 'postgres://u:hunter222@127.0.0.1:1/x' }, 'database'],
  ['a folder that cannot be made', { DATA_DIR: '/dev/null/data', OPS_PORT: '1' }, 'database'],
  ['a Redis that is not there', { REDIS_URL: 'redis://:hunter222@127.0.0.1:1' }, 'redis'],
  ['a sink that is not there', sinkAt('http://127.0.0.1:1'), 'sink'],
  ['a sink at an address that is not allowed', sinkAt('https://10.0.0.1'), 'sink'],
  ['a NATS that is not there', { EVENT_SINK_URL: 'nats://hunter222@127.0.0.1:1' }, 'sink'],
  ['a RabbitMQ that is not there', { EVENT_SINK_URL: 'amqp://u:hunter222@127.0.0.1:1' }, 'sink'],
])('%s is a fail that says what to do, with exit code 1', async (_title, overrides, name) => {
  const { code, findings, out } = await examine(overrides);
  expect(code).toBe(1);
  expect(found(findings, name)).toMatchObject({ state: 'fail', todo: expect.stringMatching(/./) as string });
  expect(out).not.toMatch(/hunter222|wrong-secret/);
});

test('a sink at a link-local address is a fail that names no setting, since none allows it', async () => {
  expect(await check('sink', sinkAt('https://169.254.169.254'))).toEqual({
    name: 'sink',
    state: 'fail',
    seen: 'its address is not allowed',
    todo: 'give it another address: no setting allows this one',
  });
});

/** An issuer whose discovery document names another by `named`, and these keys. */
async function startIssuer(named: (origin: string) => string, keys: readonly object[]): Promise<JsonServer> {
  const server: JsonServer = await startJsonServer((received, response) =>
    json(
      received.url === '/keys'
        ? { keys }
        : { issuer: named(server.url.origin), jwks_uri: `${server.url.origin}/keys` },
    )(received, response),
  );
  return server;
}

async function aKey(alg: string): Promise<object> {
  const { publicKey } = await generateKeyPair(alg);
  return { ...(await exportJWK(publicKey)), alg, kid: alg };
}

const byDiscovery = (END_USER_ISSUER: string): Environment => ({
  END_USER_ISSUER,
  END_USER_JWKS_URL: '',
  MACHINE_SUBJECTS: '',
});

test('an issuer that differs by a slash and one that cannot be reached are different findings', async () => {
  const issuer = await startIssuer((origin) => `${origin}/`, [await aKey('ES256')]);
  const { origin } = issuer.url;
  const differs = await check('end-user keys', byDiscovery(origin));
  const same = await check('end-user keys', byDiscovery(`${origin}/`));
  await issuer.close();
  const gone = await check('end-user keys', byDiscovery(origin));
  expect(differs).toEqual({
    name: 'end-user keys',
    state: 'fail',
    seen: `the discovery document names the issuer ${origin}/, and END_USER_ISSUER is ${origin}`,
    todo: `set END_USER_ISSUER=${origin}/`,
  });
  expect(same.state).toBe('ok');
  expect(gone).toMatchObject({
    state: 'fail',
    seen: expect.stringContaining('no answer') as string,
    todo: expect.stringContaining('can reach it') as string,
  });
});

test('an issuer that differs by a slash is reported with END_USER_JWKS_URL too; one without discovery is fine', async () => {
  const issuer = await startIssuer((origin) => `${origin}/`, [await aKey('ES256')]);
  const { origin } = issuer.url;
  const keysOf = async (END_USER_ISSUER: string): Promise<Finding> => {
    const END_USER_JWKS_URL = `${origin}/keys`;
    return check('end-user keys', { ...byDiscovery(END_USER_ISSUER), END_USER_JWKS_URL });
  };
  const differs = await keysOf(origin);
  const others = [await keysOf(`${origin}/`), await keysOf('urn:issuer:without-discovery')];
  expect(differs).toMatchObject({ state: 'fail', todo: `set END_USER_ISSUER=${origin}/` });
  for (const { state, seen } of others) {
    expect([state, seen]).toEqual(['ok', '1 key for verifying signatures']);
  }
});

test('operations are compiled once the others have answered: the work holds the event loop', async () => {
  const seen: string[] = [];
  const upstream = await startJsonServer((received, response) => {
    if (received.body.includes('__schema')) seen.push('schema');
    json({})(received, response);
  });
  /** The last call of the others to the upstream. */
  const isLast = until(() => upstream.received.some(({ url }) => url === '/auth/token'));
  const keys = await startJsonServer((received, response) => {
    const answer = (): void => void (seen.push('keys'), json({ keys: [] })(received, response));
    void isLast.then(answer);
  });
  await examine({ UPSTREAM_URL: upstream.url.origin, END_USER_JWKS_URL: `${keys.url.origin}/keys` });
  await Promise.all([upstream.close(), keys.close()]);
  expect(seen.lastIndexOf('keys')).toBeLessThan(seen.indexOf('schema'));
});

test.each<[string, string[], string, string]>([
  ['a key of an accepted algorithm', ['ES256'], '', 'ok'],
  ['keys of refused algorithms alone', ['RS512', 'ES384'], '', 'fail'],
  ['keys of which one is refused', ['RS256', 'ES384'], '', 'warn'],
  ['keys that END_USER_ALGORITHMS leaves out', ['RS256'], 'ES256', 'fail'],
  ['keys that END_USER_ALGORITHMS names', ['RS512'], 'RS512', 'ok'],
])('%s: %p with END_USER_ALGORITHMS=%p is %s', async (_title, algorithms, END_USER_ALGORITHMS, state) => {
  const issuer = await startIssuer((origin) => origin, await Promise.all(algorithms.map(aKey)));
  const keys = await check('end-user keys', { ...byDiscovery(issuer.url.origin), END_USER_ALGORITHMS });
  expect(keys.state).toBe(state);
  if (state !== 'ok') expect(keys.todo).toContain('END_USER_ALGORITHMS');
});

describe('a membership service', () => {
  const at = (HIRER_ACCESS_URL: string): Environment => ({ HIRER_ACCESS: 'http', HIRER_ACCESS_URL });

  test('that answers is ok, with its clock', async () => {
    const service = await startJsonServer(json({ memberships: [] }));
    const { code, findings } = await examine(at(service.url.href));
    expect(found(findings, 'membership service').state).toBe('ok');
    expect(found(findings, 'clock of membership service').state).toBe('ok');
    expect(code).toBe(0);
  });

  test.each<[string, (url: URL) => string, RegExp]>([
    ['is not there', () => 'http://127.0.0.1:1', /^no answer: .*ECONNREFUSED/],
    ['answers otherwise', ({ href }) => href, /^the answer has no list of memberships$/],
  ])('that %s is a fail that says what to do, with exit code 1', async (_title, urlOf, seen) => {
    const service = await startJsonServer(json({ members: [] }));
    const { code, findings } = await examine(at(urlOf(service.url)));
    expect(found(findings, 'membership service')).toMatchObject({
      state: 'fail',
      seen: expect.stringMatching(seen) as string,
      todo: expect.stringContaining('HIRER_ACCESS_URL') as string,
    });
    expect(code).toBe(1);
  });
});

test('a scheme that the upstream does not have is a fail that names the settings to check', async () => {
  const { state, todo } = await check('subscriptions', { EVENTS_SCHEME_ID: 'seekAnz' });
  expect([state, todo]).toEqual(['fail', 'check EVENTS_SCHEME_ID and PARTNER_AUDIENCE']);
});

test('a setting that the database refuses is said once, without the frame of a start', async () => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/x?sslrootcert=/nowhere';
  expect(await check('database', { DATABASE_URL })).toMatchObject({
    state: 'fail',
    seen: expect.stringMatching(/^DATABASE_URL names .* a file that is not there.* \(ENOENT\)$/) as string,
    todo: expect.stringMatching(/^check DATABASE_URL, /) as string,
  });
});

describe('without WEBHOOK_SECRETS', () => {
  const without = { WEBHOOK_SECRETS: '', EVENTS_SCHEME_ID: 'seekAnzPublicTest' };

  test('subscriptions at the upstream are a fail: their webhooks are lost', async () => {
    stack.playground.subscribe({ url: 'https://bff.example/webhooks', secret: 'a-secret-of-nobody-here' });
    const { code, findings } = await examine(without);
    stack.playground.webhooks.subscriptions.clear();
    expect(found(findings, 'subscriptions')).toMatchObject({
      state: 'fail',
      seen: expect.stringMatching(/^\d+, and WEBHOOK_SECRETS is not set/) as string,
      todo: expect.stringContaining('WEBHOOK_SECRETS') as string,
    });
    expect(code).toBe(1);
  });

  test.each([without, { ...without, EVENTS_SCHEME_ID: '' }])(
    'no webhooks are a warning: %p',
    async (settings) => {
      stack.playground.webhooks.subscriptions.clear();
      const { code, findings } = await examine(settings);
      expect(found(findings, 'subscriptions')).toMatchObject({
        state: 'warn',
        seen: 'WEBHOOK_SECRETS is not set, so webhooks are not accepted',
      });
      expect(code).toBe(0);
    },
  );
});

test('an upstream that keeps its schema to itself is a warning: nothing says that an operation is wrong', async () => {
  const upstream = await startJsonServer((received, response) =>
    json(received.body.includes('version') ? { data: { version: '1' } } : { errors: [{ message: 'no' }] })(
      received,
      response,
    ),
  );
  const { code, findings } = await examine({ UPSTREAM_URL: upstream.url.origin, EVENTS_SCHEME_ID: '' });
  expect(found(findings, 'operations')).toEqual({
    name: 'operations',
    state: 'warn',
    seen: expect.stringMatching(
      /^1 operation; no schema in the answer to introspection \(status 200\)$/,
    ) as string,
    todo: 'compare them with a copy of the schema: partner-bff operations check --schema <file>',
  });
  expect(code).toBe(0);
});

test('a setting that is wrong is a fail for each fault', async () => {
  const { code, findings } = await examine({ PORT: 'x', BATCH_LIMIT: '0' });
  expect([code, findings.map(({ name, state }) => [name, state])]).toEqual([
    1,
    [
      ['settings', 'fail'],
      ['settings', 'fail'],
    ],
  ]);
});

test.each<[string, Environment, string, string]>([
  ['a JWK set', { END_USER_JWKS_URL: '{origin}/keys' }, 'end-user keys', 'END_USER_JWKS_URL'],
  ['an issuer', { ISSUER_TOKEN_URL: '{origin}/token' }, 'issuer', 'PARTNER_AUDIENCE'],
])(
  '%s that answers otherwise is not told as one that cannot be reached',
  async (_title, settings, name, todo) => {
    const server = await startJsonServer((_received, response) => response.writeHead(403).end());
    const [[setting, url]] = Object.entries(settings) as [[string, string]];
    const { findings } = await examine({ [setting]: url.replace('{origin}', server.url.origin) });
    expect(found(findings, name)).toMatchObject({
      state: 'fail',
      seen: expect.stringContaining('status 403') as string,
      todo: expect.stringContaining(todo) as string,
    });
    expect(found(findings, name).todo).not.toContain('may reach');
  },
);

test('no line holds a secret or a token', async () => {
  const { out } = await examine();
  const secrets = [
    ...Object.values(TEST_KEYS),
    stack.environment['PARTNER_CLIENT_SECRET']!,
    stack.environment['WEBHOOK_SECRETS']!,
  ];
  for (const secret of secrets) expect(out).not.toContain(secret);
});

test('what the upstream quotes of our secrets is not printed', async () => {
  const secret = stack.environment['WEBHOOK_SECRETS']!;
  const upstream = await startJsonServer(json({ data: { version: `it was ${secret}` } }));
  const { findings, out } = await examine({ UPSTREAM_URL: upstream.url.origin });
  expect(found(findings, 'graphql').seen).toBe('answers; version it was …');
  expect(out).not.toContain(secret);
});

describe('the sink', () => {
  const trusted = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(trusted));

  test.each<[string, string, object, RegExp]>([
    ['accepts connections by TLS', 'ok', {}, /^accepts connections by TLSv1\.3/],
    ['demands a certificate of ours', 'fail', { requestCert: true }, /CERTIFICATE_REQUIRED/],
  ])('that %s is %s', async (_title, state, options, seen) => {
    const certificate = await makeCertificate(['localhost'], Date.now());
    setDefaultCACertificates([certificate.cert]);
    const secure = await portOf(createTlsServer({ ...certificate, ...options }));
    const sink = await check('sink', sinkAt(`https://localhost:${secure}`));
    expect(sink).toMatchObject({ state, seen: expect.stringMatching(seen) as string });
  });

  let port: number;
  let bytes = 0;
  let connections = 0;
  beforeAll(async () => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('error', () => undefined);
    });
    port = await portOf(server);
  });

  test('is connected to and sent nothing', async () => {
    expect(await check('sink', sinkAt(`http://127.0.0.1:${port}`))).toEqual({
      name: 'sink',
      state: 'ok',
      seen: 'accepts connections; nothing was sent',
    });
    expect({ bytes, connections }).toEqual({ bytes: 0, connections: 1 });
  });

  test('that does not answer in time is a fail like any other', async () => {
    const { code, findings } = await examine(sinkAt(`https://127.0.0.1:${port}`));
    expect([code, found(findings, 'sink').seen]).toEqual([1, 'no connection (UND_ERR_CONNECT_TIMEOUT)']);
  });
});

test.each([
  ['ok', 1_000, 'of ours'],
  ['warn', 20_000, '20 s ahead of ours'],
  ['fail', 200_000, '200 s ahead of ours'],
])('a clock is %s by how far it is off', async (state, aheadMs, seen) => {
  const upstream = await startJsonServer((_received, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    json({ data: { version: '1' } })(_received, response);
  });
  const settings = { UPSTREAM_URL: upstream.url.origin, EVENTS_SCHEME_ID: '' };
  const clock = await check('clock of upstream', settings);
  expect(clock.state).toBe(state);
  expect(clock.seen).toMatch(
    new RegExp(seen.replace(/\d+/, (s) => `(${Number(s) - 1}|${s}|${Number(s) + 1})`)),
  );
});

test('in playground mode there is nothing to rely on', async () => {
  const { code, out } = await runCommand(['doctor'], { UPSTREAM_ULR: 'https://upstream.test' });
  expect([code, out.trimEnd().split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/^warn {2}settings {2}UPSTREAM_URL is not set/),
      expect.stringMatching(/^warn {2}settings {2}UPSTREAM_ULR .*did you mean UPSTREAM_URL\?/),
    ],
  ]);
});
