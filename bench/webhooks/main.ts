import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Pool } from 'undici';
import { startPlayground } from '../../playground/src/playground.js';
import { measure, median, WARM_UP_REQUESTS, type Cost, type LoadRequest } from '../load.js';
import { freePort, startServer, startService, type ServerProcess } from '../server-process.js';

/**
 * `POST /webhooks` with everything on, beside a bare receiver (Fastify, one secret, one table), on the embedded store and
 * on PostgreSQL (`BENCH_DATABASE_URL`), in one interleaved run; then the time to the acknowledgement at a steady rate. Read
 * the ratios, never the times. CPU is that of the receiving process alone.
 */
const ROUNDS = 5;
const REQUESTS = 2_000;
const WARM_UP_ROUNDS = Math.ceil(WARM_UP_REQUESTS / REQUESTS);
const CONNECTIONS = 32;
const STEADY_RATE = 100;
const STEADY_SECONDS = 10;
const SECRET = 'secret-of-the-bench-upstream';

const here = import.meta.dirname;
const playground = await startPlayground({ port: 0 });
let nextId = 0;

function makeBody(events: number): string {
  return JSON.stringify({
    subscriptionId: 'bench',
    events: Array.from({ length: events }, () => ({
      id: `bench:event:${(nextId += 1)}`,
      type: 'CandidateApplicationCreated',
      createDateTime: new Date().toISOString(),
      hirerId: 'seekAnzPublicTest:organization:seek:93WyyF1h',
      candidateId: 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM',
      candidateApplicationProfileId: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex',
    })),
  });
}

function requestTo(port: number, events: number, count: number): LoadRequest {
  const bodies = Array.from({ length: count }, () => makeBody(events));
  const signatures = new Map(
    bodies.map((body) => [body, createHmac('sha512', SECRET).update(body).digest('hex')]),
  );
  return {
    origin: `http://127.0.0.1:${port}`,
    path: '/webhooks',
    headers: { 'content-type': 'application/json' },
    body: '',
    nextBody: () => bodies.pop()!,
    headersOf: (body) => ({ 'seek-signature': signatures.get(body)! }),
    status: 204,
  };
}

async function startBff(port: number, store: Record<string, string>): Promise<ServerProcess> {
  return startService(
    join(here, '../../src/main.js'),
    {
      ...playground.settings,
      ...store,
      WEBHOOK_SECRETS: SECRET,
      EVENTS_POLL_SECONDS: '86400',
      USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
      SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
      PORT: String(port),
      OPS_PORT: String(await freePort()),
    },
    `http://127.0.0.1:${port}/`,
  );
}

async function steadyLatencies(port: number): Promise<number[]> {
  const request = requestTo(port, 10, STEADY_RATE * STEADY_SECONDS);
  const pool = new Pool(request.origin, { connections: CONNECTIONS });
  const waits: Promise<number>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (waits.length === STEADY_RATE * STEADY_SECONDS) {
        clearInterval(timer);
        return resolve();
      }
      waits.push(sendOne(pool, request));
    }, 1_000 / STEADY_RATE);
  });
  const latencies = await Promise.all(waits);
  await pool.close();
  return latencies.sort((a, b) => a - b);
}

async function sendOne(pool: Pool, request: LoadRequest): Promise<number> {
  const startedAt = performance.now();
  const body = request.nextBody!();
  const headers = { ...request.headers, ...request.headersOf!(body) };
  const answer = await pool.request({ method: 'POST', path: request.path, headers, body });
  await answer.body.dump();
  return performance.now() - startedAt;
}

async function compare(store: string, bffStore: Record<string, string>, bareStore: Record<string, string>) {
  const ports = { bff: await freePort(), bare: await freePort() };
  const servers = {
    bff: await startBff(ports.bff, bffStore),
    bare: await startServer(
      join(here, 'bare-receiver.js'),
      { PORT: String(ports.bare), SECRET, ...bareStore },
      `http://127.0.0.1:${ports.bare}/`,
    ),
  };
  for (const events of [1, 10]) {
    const costs: Record<'bff' | 'bare', Cost[]> = { bff: [], bare: [] };
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      for (const name of ['bff', 'bare'] as const) {
        const request = requestTo(ports[name], events, REQUESTS);
        const cost = await measure(servers[name].pid, request, REQUESTS, CONNECTIONS);
        if (round >= 0) costs[name].push(cost);
      }
    }
    for (const name of ['bff', 'bare'] as const) {
      const rate = median(costs[name].map(({ requestsPerSecond }) => requestsPerSecond * events));
      const cpu = median(
        costs[name].map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest / events),
      );
      console.log(
        `  ${store}, ${events} a request, ${name}: ${rate.toFixed(0)} events/s, ${cpu.toFixed(0)} us CPU/event`,
      );
    }
    const ratio = (of: (cost: Cost) => number): string =>
      median(costs.bff.map((cost, round) => of(cost) / of(costs.bare[round]!))).toFixed(2);
    console.log(
      `  ${store}, ${events} a request: ${ratio((cost) => cost.requestsPerSecond)} times the events/s and ${ratio((cost) => cost.cpuMicrosecondsPerRequest)} times the CPU of the bare receiver`,
    );
  }
  const latencies = await steadyLatencies(ports.bff);
  const at = (share: number): string => latencies[Math.floor(latencies.length * share)]!.toFixed(1);
  console.log(
    `  ${store}: ${STEADY_RATE} requests/s of 10 events: acknowledged in ${at(0.5)} ms (p50), ${at(0.99)} ms (p99)`,
  );
  servers.bff.stop();
  servers.bare.stop();
}

const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
console.log(
  `POST /webhooks, ${ROUNDS} rounds of ${REQUESTS} requests over ${CONNECTIONS} connections, medians`,
);
await compare('SQLite', { DATA_DIR: folder }, { FILE: join(folder, 'bare.sqlite') });

const server = process.env['BENCH_DATABASE_URL'];
if (server !== undefined) {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await compare('PostgreSQL', { DATABASE_URL: url.href }, { DATABASE_URL: url.href });
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.end();
}
await playground.close();
process.exit(0);
