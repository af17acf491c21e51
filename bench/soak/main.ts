import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startBff, WEBHOOK_SECRET } from '../bff.js';
import { startServer } from '../server-process.js';
import { freePort } from '../../test/support/machine.js';
import { HIRERS_CLAIM, startLoads } from './load.js';
import { floorOf, takeSample, type Sample } from './sample.js';

/**
 * Every kind of request at a tenth of what a core can do, by 2,000 users, for `SOAK_SECONDS` (3600), with browser tokens
 * of five minutes: what the service holds must not grow. A line for each sample goes to `SOAK_FILE` (soak.csv). Of each
 * figure, the least of the last third may be at most `GROWTH_MAX` times the least of the second third.
 * `TEST_DATABASE_URL` and `TEST_REDIS_URL` replace the embedded stores.
 */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 3_600);
const SAMPLE_SECONDS = Math.min(10, SECONDS / 12);
const GROWTH_MAX = 1.1;
/** Below it, a figure counts as none: a handle more or less is no growth. */
const FEW = 10;

const here = import.meta.dirname;
const [upstreamPort, sinkPort, port, opsPort] = await Promise.all([
  freePort(),
  freePort(),
  freePort(),
  freePort(),
]);
const upstream = `http://127.0.0.1:${upstreamPort}`;
const origin = await startServer(
  resolve(here, '../upstream.js'),
  { PORT: String(upstreamPort), EXPIRES_IN: '300' },
  upstream,
);
const sink = await startServer(
  resolve(here, 'sink.js'),
  { PORT: String(sinkPort) },
  `http://127.0.0.1:${sinkPort}`,
);
const running = [origin, sink];
process.once('exit', () => running.forEach((server) => server.stop()));
const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
const service = await startBff(port, upstream, {
  OPS_PORT: String(opsPort),
  HIRER_ACCESS: 'claim',
  HIRER_ACCESS_CLAIM: HIRERS_CLAIM,
  RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
  RATE_LIMIT_MINTS_PER_MINUTE: '0',
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  EVENT_SINK_URL: `http://127.0.0.1:${sinkPort}/`,
  EVENT_SINK_SECRET: 'c29hay1zaW5rLXNlY3JldC1vZi0zMi1ieXRlcy1sb25n',
  EVENTS_POLL_SECONDS: '86400',
  OPERATIONS_DIR: resolve('bench/compare/operations'),
  ...(TEST_DATABASE_URL && { DATABASE_URL: TEST_DATABASE_URL }),
  ...(TEST_REDIS_URL && { REDIS_URL: TEST_REDIS_URL }),
});
running.push(service);

const loads = startLoads(port);
const file = createWriteStream(process.env['SOAK_FILE'] ?? 'soak.csv');
const samples: Sample[] = [];
const startedAt = performance.now();
while (performance.now() - startedAt < SECONDS * 1000) {
  await pause(SAMPLE_SECONDS * 1000);
  const sample = await takeSample((performance.now() - startedAt) / 1000, service.pid, opsPort);
  const p99 = Object.fromEntries([...loads].map(([name, load]) => [`p99 ms ${name}`, load.takeP99()]));
  const line = { ...sample, ...p99 };
  if (samples.length === 0) file.write(`${Object.keys(line).join(',')}\n`);
  samples.push(sample);
  file.write(
    `${Object.values(line)
      .map((value) => value.toFixed(1))
      .join(',')}\n`,
  );
}
await Promise.all([...loads.values()].map((load) => load.stop()));

const third = Math.floor(samples.length / 3);
const [before, after] = [floorOf(samples.slice(third, 2 * third)), floorOf(samples.slice(-third))];
const names = (Object.keys(after) as (keyof Sample)[]).filter((name) => name !== 'seconds');
const grown = names.filter((name) => after[name] > FEW + before[name] * GROWTH_MAX);
for (const [name, { outcomes }] of loads) console.log(name, outcomes);
for (const name of names) {
  const word = grown.includes(name) ? 'GROWS' : 'flat';
  console.log(`${word.padEnd(6)}${name.padEnd(22)}${before[name].toFixed(1)} -> ${after[name].toFixed(1)}`);
}
process.exit(grown.length > 0 ? 1 : 0);
