import { resolve } from 'node:path';
import { startServer, type ServerProcess } from '../server-process.js';
import { freePort } from '../../test/support/machine.js';
import { startBff } from '../bff.js';
import { SCENARIOS } from '../compare/scenarios.js';
import { Generator } from '../generator.js';
import { cpuMicroseconds, median } from '../load.js';
import { quantile } from '../open-loop.js';

/**
 * How long the cached `POST /auth/token` takes at a steady rate, with everything on, beside bare Fastify, in interleaved
 * rounds. By default, the service's threads need 60 % of a core at that rate: the generator takes the other core whole.
 * Each latency counts from when its request was due. Needs two cores that do nothing else. `RATE` (a second), `ROUNDS`
 * and `SECONDS` change what is measured.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const CONNECTIONS = 64;
/** The rate at which a request's processor time is measured. */
const PROBE = { rate: 5_000, count: 25_000 };
/** Full collections of what the start had left in memory were seen up to nine seconds after it. */
const WARM_UP_REQUESTS = 120_000;
const CORE_SHARE = 0.6;
const SETTLING_SECONDS = 1;
const QUANTILES = [0.5, 0.99, 0.999];
/** Node samples the event loop's delay with a timer of so much, which is part of what it reports. */
const SAMPLING_MS = 10;

const start = (program: string, port: number): Promise<ServerProcess> =>
  startServer(
    resolve(import.meta.dirname, '..', program),
    { PORT: String(port) },
    `http://127.0.0.1:${port}/`,
  );
const ports = {
  upstream: await freePort(),
  fastify: await freePort(),
  bff: await freePort(),
  ops: await freePort(),
};
const upstream = await start('upstream.js', ports.upstream);
const servers = {
  'bare Fastify': { process: await start('floors/fastify.js', ports.fastify), port: ports.fastify },
  BFF: {
    process: await startBff(ports.bff, `http://127.0.0.1:${ports.upstream}`, { OPS_PORT: String(ports.ops) }),
    port: ports.bff,
  },
};
const requestTo = SCENARIOS.find(({ name }) => name === 'cached token')!.request;
const generator = new Generator();
process.once('exit', () => {
  generator.stop();
  upstream.stop();
  for (const { process: server } of Object.values(servers)) server.stop();
});

/** The longest the service's event loop was held up since it was last asked, in milliseconds. */
async function longestDelayMs(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text();
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
  return Math.max(0, seconds * 1000 - SAMPLING_MS);
}

/** Requests a second at which the service needs that share of a core, all of its threads together. */
async function rateAt(coreShare: number): Promise<number> {
  const { rate: ratePerSecond, count } = PROBE;
  const { pid } = servers.BFF.process;
  const before = cpuMicroseconds(pid);
  await generator.send({
    request: requestTo(ports.bff),
    pace: { count, ratePerSecond, connections: CONNECTIONS },
  });
  return Math.round((coreShare * 1e6) / ((cpuMicroseconds(pid) - before) / count));
}

type Name = keyof typeof servers;
const names = Object.keys(servers) as Name[];
for (const name of names) {
  const pace = { count: WARM_UP_REQUESTS, ratePerSecond: Infinity, connections: CONNECTIONS };
  await generator.send({ request: requestTo(servers[name].port), pace });
}
const rate = Number(process.env['RATE'] ?? (await rateAt(CORE_SHARE)));

const results: Record<Name, number[][]> = { 'bare Fastify': [], BFF: [] };
const delays: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of names) {
    await longestDelayMs();
    const pace = {
      settling: Math.round(rate * SETTLING_SECONDS),
      count: Math.round(rate * SECONDS),
      ratePerSecond: rate,
      connections: CONNECTIONS,
    };
    const latencies = await generator.send({ request: requestTo(servers[name].port), pace });
    results[name].push(QUANTILES.map((share) => quantile(latencies, share)));
    if (name === 'BFF') delays.push(await longestDelayMs());
  }
}

const medians = (name: Name): string =>
  QUANTILES.map((share, index) => {
    const ms = median(results[name].map((round) => round[index]!));
    return `p${share * 100} ${ms.toFixed(2).padStart(6)} ms`;
  }).join('   ');
const ratios = QUANTILES.map((share, index) => {
  const rounds = results.BFF.map((round, number) => round[index]! / results['bare Fastify'][number]![index]!);
  return `p${share * 100} ${median(rounds).toFixed(2)}`;
});
process.stdout.write(
  [
    `cached POST /auth/token at ${rate} requests/s, ${ROUNDS} interleaved rounds of ${SECONDS} s over ${CONNECTIONS} connections, medians of the rounds`,
    '',
    ...names.map((name) => `  ${name.padEnd(14)} ${medians(name)}`),
    '',
    `  BFF as a multiple of bare Fastify: ${ratios.join(', ')} (aim: p99 at most 2)`,
    `  longest delay of its event loop: median ${median(delays).toFixed(1)} ms, largest ${Math.max(...delays).toFixed(1)} ms (aim: at most 5)`,
    '',
  ].join('\n'),
);
process.exit(0);
