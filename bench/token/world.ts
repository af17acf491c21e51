import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { startPlayground } from '../../playground/src/playground.js';
import type { LoadRequest } from '../load.js';
import { freePort, startServer, startService, type ServerProcess } from '../server-process.js';

/**
 * The parts that the benchmarks of `POST /auth/token` share: an upstream, a user, and servers that answer the user
 * alike.
 */
const here = import.meta.dirname;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const identity = { ISSUER: 'https://idp.bench', AUDIENCE: 'bff', SUBJECT: 'amelia' };
export const playground = await startPlayground({ port: 0 });
const hirerId = playground.demo.hirers[0]!.hirerId;
const jwt = await new SignJWT({ sub: identity.SUBJECT, iss: identity.ISSUER, aud: identity.AUDIENCE })
  .setProtectedHeader({ alg: 'ES256' })
  .setIssuedAt()
  .setExpirationTime('1h')
  .sign(privateKey);

/** The service with everything on. */
export async function startBff(port: number, opsPort: number): Promise<ServerProcess> {
  const endUsers = Object.keys(playground.settings).filter((name) => name.startsWith('END_USER_'));
  const upstream = Object.entries(playground.settings).filter(([name]) => !endUsers.includes(name));
  const server = await startService(
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

/** Starts another server of this folder, `bare-fastify` or `plain-nest`. */
export function startPeer(name: string, port: number): Promise<ServerProcess> {
  return startServer(
    join(here, `${name}.js`),
    { ...identity, PORT: String(port), PUBLIC_KEY: pem, HIRER_ID: hirerId },
    `http://127.0.0.1:${port}/`,
  );
}

export const ports = {
  bff: await freePort(),
  ops: await freePort(),
  fastify: await freePort(),
  nest: await freePort(),
};

export function requestTo(port: number): LoadRequest {
  return {
    origin: `http://127.0.0.1:${port}`,
    path: '/auth/token',
    headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hirerId, scope: 'query:organizations' }),
  };
}
