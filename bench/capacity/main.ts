import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { TEST_DATABASES } from '../../test/support/test-database.js';
import { startBff, WEBHOOK_SECRET } from '../bff.js';
import { SCENARIOS } from '../compare/scenarios.js';
import { measure, median, WARM_UP_REQUESTS, type Cost } from '../load.js';
import { freePort, startServer } from '../server-process.js';

/**
 * What one core holds, and how many bytes of PostgreSQL each record takes: the figures of docs/capacity.md. On
 * PostgreSQL and Redis (`TEST_DATABASE_URL`, `TEST_REDIS_URL`), with every event delivered to an HTTP sink. Run it on a
 * machine that does nothing else.
 */
const ROUNDS = 3;
const CONNECTIONS = 32;

const server = TEST_DATABASES.find(({ isServer }) => isServer);
const redisUrl = process.env['TEST_REDIS_URL'];
if (!server || redisUrl === undefined) {
  process.stderr.write('Set TEST_DATABASE_URL and TEST_REDIS_URL\n');
  process.exit(2);
}

const here = import.meta.dirname;
const [upstreamPort, sinkPort, port, opsPort] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
const at = (of: number): string => `http://127.0.0.1:${of}`;
const origin = await startServer(
  resolve(here, '../proxy/upstream.js'),
  { PORT: String(upstreamPort) },
  at(upstreamPort),
);
const sink = await startServer(resolve(here, '../soak/sink.js'), { PORT: String(sinkPort) }, at(sinkPort));
const running = [origin, sink];
process.once('exit', () => running.forEach((process) => process.stop()));
const { settings, drop } = await server.open();
const service = await startBff(port, at(upstreamPort), {
  ...settings,
  REDIS_URL: redisUrl,
  OPS_PORT: String(opsPort),
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  EVENT_SINK_URL: `${at(sinkPort)}/`,
  EVENT_SINK_SECRET: 'c2luay1zZWNyZXQtb2YtdGhlLWJlbmNoLW9mLWNhcGFjaXR5',
  EVENTS_POLL_SECONDS: '86400',
  OPERATIONS_DIR: resolve('bench/compare/operations'),
});
running.push(service);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${at(opsPort)}/metrics`)).text();
  const values = text.matchAll(new RegExp(`^${name} (\\S+)$`, 'gm'));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

const backlog = (): Promise<number> => metric('bff_webhook_backlog\\{state="(?:pending|failed)"[^}]*\\}');
const DELIVERED = 'bff_webhook_deliveries_total\\{[^}]*outcome="delivered"[^}]*\\}';

async function whenDelivered(): Promise<void> {
  while ((await backlog()) > 0) await pause(200);
}

const row = (name: string, values: readonly string[]): void =>
  void process.stdout.write(`  ${name.padEnd(24)}${values.map((value) => value.padStart(18)).join('')}\n`);

row('', ['CPU, us', 'a core, a second']);
for (const { name, request, count, weight = 1 } of SCENARIOS) {
  const costs: Cost[] = [];
  await measure(service.pid, request(port), Math.ceil(WARM_UP_REQUESTS * weight), CONNECTIONS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await whenDelivered();
    costs.push(await measure(service.pid, request(port), count, CONNECTIONS));
  }
  const cpu = median(costs.map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest));
  row(name, [cpu.toFixed(0), (1e6 / cpu).toFixed(0)]);
}

await whenDelivered();
const webhook = SCENARIOS.find(({ name }) => name === 'webhook of ten')!;
const [startedAt, before] = [performance.now(), await metric(DELIVERED)];
await measure(service.pid, webhook.request(port), 1_000, CONNECTIONS);
await whenDelivered();
const perSecond = ((await metric(DELIVERED)) - before) / ((performance.now() - startedAt) / 1000);
row('received and delivered', ['', `${perSecond.toFixed(0)} events`]);

const client = new pg.Client({ connectionString: settings['DATABASE_URL'] });
await client.connect();
for (const table of ['audit', 'events']) {
  const { rows } = await client.query<{ bytes: string; count: string }>(
    `SELECT pg_total_relation_size('${table}') AS bytes, count(*) AS count FROM ${table}`,
  );
  const { bytes, count } = rows[0]!;
  row(table, [`${count} rows`, `${(Number(bytes) / Number(count)).toFixed(0)} bytes a row`]);
}
await client.end();
service.stop();
await drop();
process.exit(0);
