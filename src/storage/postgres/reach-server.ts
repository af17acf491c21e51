import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config/load-config.js';
import { UnavailableError } from '../../config/faults/start-faults.js';
import { StoreError } from '../../errors/store-error.js';
import type { Database } from '../database.js';

/** How long a start waits for the database server. */
export const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** The message of node-postgres for a server without TLS; the error has no code. */
const NO_TLS = 'The server does not support SSL connections';
/** How PgBouncer refuses what is set for a whole session. */
const POOLER_REFUSAL = /unsupported startup parameter/;
/** Codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted. */
const CERTIFICATE_FAULT = /CERT|UNABLE_TO_VERIFY/;

type ServerSetting = 'DATABASE_URL' | 'DATABASE_LISTEN_URL';

const POOLER =
  'names a connection pooler, which loses the notices of other replicas: set DATABASE_LISTEN_URL to the database server itself';
const NO_NOTICES =
  'names a connection at which no notice from DATABASE_URL arrives: it must lead to the same database, and past any pooler in transaction mode';

/** Sources of time, for tests. */
export interface ReachOptions {
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Resolves once the database server answers; it is retried for ten seconds.
 * @param setting that names it
 * @throws UnavailableError when it does not answer; ConfigError, immediately, when it refuses the connection
 */
export async function reachServer(
  database: Pick<Database, 'ping'>,
  { now = Date.now, pause = sleep }: ReachOptions = {},
  setting: ServerSetting = 'DATABASE_URL',
): Promise<void> {
  const end = now() + PATIENCE_MS;
  for (;;) {
    try {
      return await database.ping();
    } catch (thrown) {
      const error = driverError(thrown);
      const refusal = refusalOfServer(error, setting);
      if (refusal) throw refusal;
      if (now() >= end) {
        throw new UnavailableError(
          [`${setting} names a server that does not answer${detailOf(error)}`],
          error,
        );
      }
    }
    await pause(PAUSE_MS);
  }
}

/** The driver's error where a store failed; anything else is itself. */
export function driverError(thrown: unknown): unknown {
  return thrown instanceof StoreError ? thrown.cause : thrown;
}

/**
 * A fault that waiting does not change: a refusal by the server (PostgreSQL, Appendix A), or a URL that cannot be
 * followed.
 */
export function refusalOfServer(
  error: unknown,
  setting: ServerSetting = 'DATABASE_URL',
): ConfigError | undefined {
  const serverFault = (reason: string, code: string) => new ConfigError([`${setting} ${reason} (${code})`]);
  const code = String((error as { code?: unknown }).code);
  if (error instanceof URIError) return serverFault('holds percent-encoding that is not UTF-8', 'malformed');
  if (CERTIFICATE_FAULT.test(code)) return serverFault('names a server with an untrusted certificate', code);
  if (error instanceof Error && POOLER_REFUSAL.test(error.message)) {
    return new ConfigError([`${setting} ${POOLER}`]);
  }
  if (error instanceof Error && error.message === NO_TLS) {
    return serverFault('demands TLS, which the server does not speak', 'sslmode');
  }
  if (code.startsWith('28')) return serverFault('holds a user or password that the server refuses', code);
  if (code === '3D000') return serverFault('names a database that does not exist', code);
  if (code === '42501') return serverFault('holds a user without the rights to use the database', code);
  if (code === '25006') return serverFault('names a database that is read-only', code);
  return undefined;
}

/**
 * Verifies that notices arrive.
 * @param isApart whether `DATABASE_LISTEN_URL` is set
 * @throws ConfigError when they do not, or their connection is refused; UnavailableError when it is not answered
 */
export async function proveNotices(
  database: { noticesArrive(): Promise<boolean> },
  isApart: boolean,
): Promise<void> {
  const setting = isApart ? 'DATABASE_LISTEN_URL' : 'DATABASE_URL';
  let arrive = false;
  const ping = async (): Promise<void> => void (arrive = await database.noticesArrive());
  await reachServer({ ping }, {}, setting);
  if (!arrive) throw new ConfigError([`${setting} ${isApart ? NO_NOTICES : POOLER}`]);
}

/** The server's own words or the driver's; of a system error only the code, since its message may hold the address. */
function detailOf(error: unknown): string {
  const { code, message, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return message ? ` (${message})` : '';
  return severity === undefined ? ` (${code})` : ` (${code}: ${message})`;
}
