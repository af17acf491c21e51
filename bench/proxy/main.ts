import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jwt, startBff } from '../bff.js';
import { HIRER_ID } from '../hirer-id.js';
import { measure, median, WARM_UP_REQUESTS, type Cost, type LoadRequest } from '../load.js';
import { freePort, startServer, type ServerProcess } from '../server-process.js';
import { startNginx } from './nginx.js';

/**
 * One proxied `POST /graphql` with everything on (authentication, membership, token, limits, rules, metrics, audit, log)
 * beside proxies that decide nothing, in one interleaved run. Read the ratios, never the times. Peers: first
 * `npm ci --prefix bench/peers`; those that are not there are left out, with a word about it.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const REQUESTS = Number(process.env['REQUESTS'] ?? 4_000);
const CONNECTIONS = 50;

const here = import.meta.dirname;
const peers = resolve('bench/peers');

const upstreamPort = await freePort();
const upstream = `http://127.0.0.1:${upstreamPort}`;
const servers = new Map<string, { readonly process: ServerProcess; readonly port: number }>();
const notes: string[] = [];

async function add(name: string, start: (port: number) => Promise<ServerProcess | undefined>): Promise<void> {
  const port = await freePort();
  const server = await start(port);
  if (server) servers.set(name, { process: server, port });
  else notes.push(`${name} is not installed and was left out`);
}

const startProgram = (program: string) => async (port: number) =>
  existsSync(program)
    ? startServer(program, { UPSTREAM: upstream, PORT: String(port) }, `http://127.0.0.1:${port}/`)
    : undefined;
const startPeer = (name: string, needs: string) =>
  startProgram(existsSync(join(peers, 'node_modules', needs)) ? join(peers, `${name}.js`) : '');

// Whatever ends the run, nothing of it stays behind.
process.once('exit', () => {
  for (const { process: server } of servers.values()) server.stop();
  origin.stop();
});
const origin = await startServer(join(here, 'upstream.js'), { PORT: String(upstreamPort) }, `${upstream}/`);
await add('node floor', startProgram(join(here, 'floor.js')));
await add('BFF', (port) => startBff(port, upstream));
await add('nginx', (port) => startNginx(port, upstream));
await add('@fastify/http-proxy', startPeer('fastify-http-proxy', '@fastify/http-proxy'));
await add('Hive Gateway', startPeer('hive-gateway', '@graphql-hive/gateway-runtime'));

const ids = Array.from({ length: 13 }, (_, index) => `seekAnzPublicTest:location:seek:${index}x`);
const body = JSON.stringify({
  operationName: 'Locations',
  query:
    'query Locations($ids: [String!]!) {\n  locations(ids: $ids) {\n    id {\n      value\n    }\n    contextualName\n  }\n}',
  variables: { ids },
});
const requestTo = (port: number): LoadRequest => ({
  origin: `http://127.0.0.1:${port}`,
  path: '/graphql',
  headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json', 'x-hirer-id': HIRER_ID },
  body,
});

const costs = new Map<string, Cost[]>([...servers.keys()].map((name) => [name, []]));
let answered = 0;
const WARM_UP_ROUNDS = Math.ceil(WARM_UP_REQUESTS / REQUESTS);
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
  for (const [name, { process: server, port }] of servers) {
    // No two requests of the run are alike, so that none is answered by another's answer.
    const request = { ...requestTo(port), nextBody: () => body.replace('0x"', `${(answered += 1)}"`) };
    const cost = await measure(server.pid, request, REQUESTS, CONNECTIONS);
    if (round >= 0) costs.get(name)!.push(cost);
  }
}

const lowest = (name: string): number =>
  Math.min(...costs.get(name)!.map((cost) => cost.cpuMicrosecondsPerRequest));
const medianRatio = (name: string, base: string): string =>
  median(
    costs
      .get(name)!
      .map(
        (cost, round) => cost.cpuMicrosecondsPerRequest / costs.get(base)![round]!.cpuMicrosecondsPerRequest,
      ),
  ).toFixed(2);
process.stdout.write(
  [
    `proxied POST /graphql, ${body.length} B in and 2 kB out, ${ROUNDS} interleaved rounds of ${REQUESTS} requests over ${CONNECTIONS} connections`,
    '',
    ...[...servers.keys()].map((name) => {
      const throughput = median(costs.get(name)!.map((cost) => cost.requestsPerSecond));
      return `  ${name.padEnd(20)} ${lowest(name).toFixed(0).padStart(5)} us CPU/request (lowest) ${throughput.toFixed(0).padStart(6)} requests/s   ${medianRatio(name, 'node floor')} x the node floor (median)`;
    }),
    '',
    `  aims: BFF at most 2.3 x the node floor${servers.has('Hive Gateway') ? `; at most 0.5 x Hive Gateway, measured ${medianRatio('BFF', 'Hive Gateway')}` : ''}${servers.has('@fastify/http-proxy') ? `; below @fastify/http-proxy, measured ${medianRatio('BFF', '@fastify/http-proxy')}` : ''}`,
    ...notes.map((note) => `  ${note}`),
    '',
  ].join('\n'),
);

process.exit(0);
