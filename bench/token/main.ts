import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { startPlayground } from '../../playground/src/playground.js';
import { measure, median, type Cost, type LoadRequest } from '../load.js';
import { freePort, startServer, type ServerProcess } from '../server-process.js';

/**
 * The cached `POST /auth/token` with everything on, beside bare Fastify (the floor) and plain NestJS (the peer), in one
 * interleaved run. Read the ratios, never the times.
 */
const ROUNDS = 7;
const REQUESTS = 8_000;
const CONNECTIONS = 16;

const here = import.meta.dirname;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const identity = { ISSUER: 'https://idp.bench', AUDIENCE: 'bff', SUBJECT: 'amelia' };
const playground = await startPlayground({ port: 0 });
const hirerId = playground.demo.hirers[0]!.hirerId;
const jwt = await new SignJWT({ sub: identity.SUBJECT, iss: identity.ISSUER, aud: identity.AUDIENCE })
  .setProtectedHeader({ alg: 'ES256' })
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey);

async function startBff(port: number): Promise<ServerProcess> {
  const opsPort = await freePort();
  const endUsers = Object.keys(playground.settings).filter((name) => name.startsWith('END_USER_'));
  const upstream = Object.entries(playground.settings).filter(([name]) => !endUsers.includes(name));
  const server = await startServer(
    join(here, '../../src/main.js'),
    {
      ...Object.fromEntries(upstream),
      END_USER_PUBLIC_KEY: pem,
      END_USER_ISSUER: identity.ISSUER,
      END_USER_AUDIENCE: identity.AUDIENCE,
      USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
      SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
      PORT: String(port),
      OPS_PORT: String(opsPort),
      DATA_DIR: mkdtempSync(join(tmpdir(), 'bff-bench-')),
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
    },
    `http://127.0.0.1:${port}/`,
  );
  await fetch(`http://127.0.0.1:${opsPort}/memberships/${identity.SUBJECT}/${encodeURIComponent(hirerId)}`, {
    method: 'PUT',
  });
  return server;
}

const ports = { bff: await freePort(), fastify: await freePort(), nest: await freePort() };
const peerEnvironment = (port: number): Record<string, string> => ({
  ...identity,
  PORT: String(port),
  PUBLIC_KEY: pem,
  HIRER_ID: hirerId,
});
const servers: Record<keyof typeof ports, ServerProcess> = {
  bff: await startBff(ports.bff),
  fastify: await startServer(
    join(here, 'bare-fastify.js'),
    peerEnvironment(ports.fastify),
    `http://127.0.0.1:${ports.fastify}/`,
  ),
  nest: await startServer(
    join(here, 'plain-nest.js'),
    peerEnvironment(ports.nest),
    `http://127.0.0.1:${ports.nest}/`,
  ),
};

const names = Object.keys(ports) as (keyof typeof ports)[];
const requestTo = (port: number): LoadRequest => ({
  origin: `http://127.0.0.1:${port}`,
  path: '/auth/token',
  headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
  body: JSON.stringify({ hirerId, scope: 'query:organizations' }),
});

const costs: Record<keyof typeof ports, Cost[]> = { bff: [], fastify: [], nest: [] };
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const name of names) {
    const cost = await measure(servers[name].pid, requestTo(ports[name]), REQUESTS, CONNECTIONS);
    if (round > 0) costs[name].push(cost); // the first round warms up
  }
}

const cpu = (name: keyof typeof ports): number[] => costs[name].map((cost) => cost.cpuMicrosecondsPerRequest);
const ratio = (a: keyof typeof ports, b: keyof typeof ports): string =>
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
    `  CPU of the BFF is ${ratio('bff', 'fastify')} times that of bare Fastify (aim: at most 1.5)`,
    `  CPU of plain NestJS is ${ratio('nest', 'fastify')} times that of bare Fastify`,
    '',
  ].join('\n'),
);

for (const name of names) servers[name].stop();
await playground.close();
