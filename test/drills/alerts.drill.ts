import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, graphqlSync } from 'graphql';
import supertest from 'supertest';
import { parse } from 'yaml';
import { Database } from '../../src/storage/database.js';
import { type Answer, type Json, askToken } from '../support/ask-token.js';
import { startScriptedUpstream } from '../proxy/scripted-upstream.js';
import { changeFields } from '../support/public-upstream.js';
import { json, startJsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

// Real faults, a real Prometheus: each alert must fire on the service's own figures. Waiting times and windows of the
// rules are shortened, their conditions are not.

/** Alerts that only promtool makes fire (deploy/prometheus/alerts.test.yml), and why. */
const LEFT_TO_PROMTOOL: Readonly<Record<string, string>> = {
  BffEventsLate: 'its condition is ten minutes',
  BffJwksStale: 'its condition is twenty minutes',
  BffReconciliationLate: 'its condition is an hour',
  BffInternalErrors: 'it takes a fault of our own code',
  BffSlow: 'it takes a fault of our own code',
  BffEventLoopSlow: 'it takes a fault of our own code',
  BffAuditDropped: 'it takes 50,000 waiting records',
};

const SECRET = 'a-webhook-secret-for-the-drill';
const FAULT_MS = 60_000;
const SLOW_MS = 2_500;
const SCOPE = 'query:organizations';
const folder = mkdtempSync(join(tmpdir(), 'bff-drill-'));

let prometheus: ChildProcess;
const api = `http://127.0.0.1:${19_000 + (process.pid % 1_000)}`;

const targets: string[] = [];
/** Alerts that this drill waited for, and that fired. */
const fired = new Set<string>();

/** Adds a service, and waits until it was scraped: as in life, a fault comes after. */
async function scrapeAlso(stack: Stack): Promise<void> {
  const { host } = new URL(stack.opsUrl);
  targets.push(host);
  writeFileSync(join(folder, 'targets.json'), JSON.stringify([{ targets }]));
  const query = encodeURIComponent(`count_over_time(up{instance="${host}"}[1m]) > 2`);
  await until(async () => {
    const { body: answer } = await supertest(api).get(`/api/v1/query?query=${query}`);
    return answer.data.result.length > 0;
  }, FAULT_MS);
}

function shortened(): string {
  return readFileSync('deploy/prometheus/alerts.yml', 'utf8')
    .replaceAll(/^( +for): .*$/gm, '$1: 2s')
    .replaceAll(/\[\d+m\]/g, '[20s]')
    .replaceAll('offset 5m', 'offset 20s');
}

async function firing(): Promise<Set<string>> {
  const { body: answer } = await supertest(api).get('/api/v1/alerts');
  return new Set(
    answer.data.alerts
      .filter(({ state }: Json) => state === 'firing')
      .map(({ labels }: Json) => labels.alertname),
  );
}

async function fires(alert: string, keepUp: () => Promise<unknown> = async () => undefined): Promise<void> {
  await until(async () => {
    await keepUp();
    return (await firing()).has(alert);
  }, FAULT_MS);
  fired.add(alert);
}

beforeAll(async () => {
  execFileSync('prometheus', ['--version']);
  writeFileSync(join(folder, 'alerts.yml'), shortened());
  writeFileSync(join(folder, 'targets.json'), '[]');
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: partner-bff
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`,
  );
  const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  prometheus = spawn('prometheus', [...options, `--web.listen-address=${new URL(api).host}`], {
    stdio: 'ignore',
  });
  await until(() =>
    supertest(api)
      .get('/-/ready')
      .then(
        ({ status }) => status === 200,
        () => false,
      ),
  );
});
afterAll(() => {
  prometheus.kill();
});

describe('alerts on real faults', () => {
  test('credentials that the issuer refuses', async () => {
    const stack = await startStack({
      PARTNER_CLIENT_SECRET: 'wrong-client-secret',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    await scrapeAlso(stack);
    await Promise.all(['BffNotReady', 'BffPartnerTokenMissing', 'BffDegraded'].map((alert) => fires(alert)));
    await stack.close();
    await fires('BffDown');
    const late = await startStack();
    await scrapeAlso(late);
    await until(async () => (await supertest(late.opsUrl).get('/readyz')).status === 200, FAULT_MS);
    await revokeAndRefuse(late);
    await fires('BffCredentialsRefused');
    await late.close();
  });

  /** The token in hand is taken back, and the issuer takes our secret no more. */
  async function revokeAndRefuse(stack: Stack): Promise<void> {
    stack.playground.tokens.revoke({ kind: 'partner' });
    stack.playground.faults.add({
      route: 'oauth-token',
      times: 0,
      status: 401,
      body: '{"error":"invalid_client"}',
      contentType: 'application/json',
    });
    const amelia = await stack.playground.signIn('amelia');
    await askToken(stack, amelia, { hirerId: stack.playground.demo.hirers[0]!.hirerId, scope: SCOPE });
  }

  test('an upstream that fails, an issuer that fails, and users who may not', async () => {
    const secretFile = join(folder, 'webhook-secrets');
    writeFileSync(secretFile, SECRET);
    const sink = await startJsonServer(json({}, 410));
    const stack = await startStack({
      RATE_LIMIT_REQUESTS_PER_MINUTE: '100',
      RATE_LIMIT_MINTS_PER_MINUTE: '0',
      WEBHOOK_SECRETS: undefined,
      WEBHOOK_SECRETS_FILE: secretFile,
      EVENT_SINK_URL: new URL('/sink', sink.url).href,
      EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    });
    await scrapeAlso(stack);
    const amelia = await stack.playground.signIn('amelia');
    const { hirerId } = stack.playground.demo.hirers[0]!;

    const refusedSecret = (): void => writeFileSync(secretFile, 'short');
    refusedSecret();
    await supertest(stack.opsUrl).post('/secrets/reload');
    await fires('BffSecretRefused');

    stack.playground.faults.add({ route: 'auth-token', times: 0, status: 500 });
    const failing = (): Promise<unknown> => askToken(stack, amelia, { hirerId, scope: SCOPE });
    await fires('BffIssuanceFailing', failing);
    await fires('BffUpstreamFailing', failing);
    await fires('BffRateLimited', failing);
    stack.playground.faults.clear();

    await fires('BffForbiddenSpike', () => askToken(stack, amelia, { hirerId: 'not:mine', scope: SCOPE }));
    await fires('BffUnauthenticatedSpike', () => askToken(stack, undefined, {}));

    await fires('BffWebhooksRefused', () => sendWebhook(stack.url, 'forged', [anEvent()]));
    const event = (): Promise<Answer> => sendWebhook(stack.url, SECRET, [anEvent()]);
    await event();
    await fires('BffEventsDead');
    await fires('BffDeliveriesFailing', event);
    await sendWebhook(stack.url, SECRET, Array.from({ length: 50 }, anEvent));
    await fires('BffManyEventsDead');

    stack.playground.tokens.revoke({ kind: 'partner' });
    stack.playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
    const bayu = await stack.playground.signIn('bayu');
    const other = { hirerId: stack.playground.demo.hirers[1]!.hirerId, scope: SCOPE };
    await fires('BffIssuerFailing', () => askToken(stack, bayu, other));

    await stack.service.app.get(Database).close();
    await fires('BffWebhooksNotStored', event);
    await sink.close();
    await stack.close();
  });

  test('an upstream whose schema drifts and whose operations fail, and more connections than there may be', async () => {
    const upstream = await startScriptedUpstream();
    const drifted = buildSchema(
      changeFields(readFileSync('playground/schema.graphql', 'utf8'), 'positionTitle', 'remove'),
    );
    upstream.script = ({ query }) => JSON.stringify(graphqlSync({ schema: drifted, source: query }));
    const stack = await startStack({
      UPSTREAM_URL: upstream.url,
      OPERATIONS_CHECK: 'daily',
      EVENTS_SCHEME_ID: '',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
      CONNECTIONS_MAX: '10',
    });
    await scrapeAlso(stack);
    await fires('BffSchemaDrifted');

    const users = await Promise.all([memberOf(stack, 'amelia', 0), memberOf(stack, 'bayu', 1)]);
    const operations = (): Promise<unknown> =>
      Promise.all(
        users.map((headers) =>
          supertest(stack.url).post('/graphql').set(headers).send({ query: '{ self { hirer { name } } }' }),
        ),
      );
    upstream.before = (_call, response) => Boolean(setTimeout(() => response.end('{"data":{}}'), SLOW_MS));
    await fires('BffUpstreamSlow', operations);
    upstream.before = (_call, response) => Boolean(response.writeHead(429).end());
    await fires('BffUpstreamRateLimited', operations);
    upstream.before = (_call, response) => Boolean(response.writeHead(500).end());
    await fires('BffCircuitOpen', operations);
    await fires('BffGraphqlFailing', operations);

    const { hostname: host, port } = new URL(stack.url);
    const sockets: Socket[] = [];
    await fires('BffConnectionsRefused', async () => {
      sockets.push(connect({ host, port: Number(port) }).on('error', () => undefined));
    });
    for (const socket of sockets) socket.destroy();
    await stack.close();
    await upstream.server.close();
  });

  test('each alert fired in a test above, or is left to promtool for a reason', () => {
    const { groups } = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8'));
    const alerts = groups[0].rules.map(({ alert }: Json) => alert);
    expect([...fired, ...Object.keys(LEFT_TO_PROMTOOL)].sort()).toEqual(alerts.sort());
  });
});

/** The headers of a request of a demo user at one of the demo hirers. */
async function memberOf({ playground }: Stack, name: string, hirer: number): Promise<Record<string, string>> {
  return {
    authorization: `Bearer ${await playground.signIn(name)}`,
    'x-hirer-id': playground.demo.hirers[hirer]!.hirerId,
  };
}
