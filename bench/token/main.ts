import { measure, median, WARM_UP_REQUESTS, type Cost } from '../load.js';
import type { ServerProcess } from '../server-process.js';
import { playground, ports, requestTo, startBff, startPeer } from './world.js';

/**
 * The cached `POST /auth/token` with everything on, beside bare Fastify (the floor) and plain NestJS (the peer), in one
 * interleaved run. Read the ratios, never the times.
 */
const ROUNDS = 7;
const REQUESTS = 8_000;
const CONNECTIONS = 16;

const servers = {
  bff: await startBff(ports.bff, ports.ops),
  fastify: await startPeer('bare-fastify', ports.fastify),
  nest: await startPeer('plain-nest', ports.nest),
} satisfies Record<string, ServerProcess>;

const names = Object.keys(servers) as (keyof typeof servers)[];

const costs: Record<keyof typeof servers, Cost[]> = { bff: [], fastify: [], nest: [] };
const WARM_UP_ROUNDS = Math.ceil(WARM_UP_REQUESTS / REQUESTS);
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
  for (const name of names) {
    const cost = await measure(servers[name].pid, requestTo(ports[name]), REQUESTS, CONNECTIONS);
    if (round >= 0) costs[name].push(cost);
  }
}

const cpu = (name: keyof typeof servers): number[] =>
  costs[name].map((cost) => cost.cpuMicrosecondsPerRequest);
const ratio = (a: keyof typeof servers, b: keyof typeof servers): string =>
  median(cpu(a).map((value, round) => value / cpu(b)[round]!)).toFixed(2);
process.stdout.write(
  [
    `cached POST /auth/token, ${ROUNDS} rounds of ${REQUESTS} requests over ${CONNECTIONS} connections, medians`,
    '',
    ...names.map((name) => {
      const throughput = median(costs[name].map((cost) => cost.requestsPerSecond));
      return `  ${name.padEnd(8)} ${median(cpu(name)).toFixed(1).padStart(7)} us CPU/request ${throughput.toFixed(0).padStart(7)} requests/s`;
    }),
    '',
    `  CPU of the BFF is ${ratio('bff', 'fastify')} times that of bare Fastify (aim: at most 1.75)`,
    `  CPU of plain NestJS is ${ratio('nest', 'fastify')} times that of bare Fastify`,
    '',
  ].join('\n'),
);

for (const name of names) servers[name].stop();
await playground.close();
