import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { HIRER_ID } from './hirer-id.js';
import { startService, type ServerProcess } from './server-process.js';
import { freePort } from '../test/support/machine.js';

/** The secret that the benchmarks sign webhooks with. */
export const WEBHOOK_SECRET = 'secret-of-the-bench-upstream';

const IDENTITY = { issuer: 'https://idp.bench', audience: 'bff', subject: 'amelia' };
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const MAIN = join(import.meta.dirname, '../src/main.js');

/** An end-user token that outlives every run, with further claims. */
export function signIn(subject: string, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return new SignJWT({ ...claims, sub: subject, iss: IDENTITY.issuer, aud: IDENTITY.audience })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('1d')
    .sign(privateKey);
}

/** The end-user token of the benchmarks' user. */
export const jwt = await signIn(IDENTITY.subject);

/**
 * Starts the service with everything on, beside an upstream that is also the issuer, with the user as a member.
 * @param main the compiled entry point; that of this checkout by default
 */
export async function startBff(
  port: number,
  upstream: string,
  settings: Readonly<Record<string, string>> = {},
  main = MAIN,
): Promise<ServerProcess> {
  const opsPort = settings['OPS_PORT'] ?? String(await freePort());
  const server = await startService(
    main,
    {
      UPSTREAM_URL: upstream,
      ISSUER_TOKEN_URL: `${upstream}/oauth/token`,
      PARTNER_CLIENT_ID: 'bench',
      PARTNER_CLIENT_SECRET: 'bench',
      END_USER_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }) as string,
      END_USER_ISSUER: IDENTITY.issuer,
      END_USER_AUDIENCE: IDENTITY.audience,
      USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
      SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
      HOST: '127.0.0.1',
      PORT: String(port),
      OPS_PORT: opsPort,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'bff-bench-')),
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      USER_IN_FLIGHT_MAX: '1000',
      UPSTREAM_IN_FLIGHT_MAX: '1000',
      ...settings,
    },
    `http://127.0.0.1:${port}/`,
  );
  const membership = `memberships/${IDENTITY.subject}/${encodeURIComponent(HIRER_ID)}`;
  await fetch(`http://127.0.0.1:${opsPort}/${membership}`, { method: 'PUT' });
  return server;
}
