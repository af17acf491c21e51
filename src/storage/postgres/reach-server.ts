import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config/load-config.js';
import { UnavailableError } from '../../config/faults/start-faults.js';
import { StoreError } from '../../errors/store-error.js';
import type { Database } from '../database.js';

/** How long a start waits for the database server. */
export const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;
const TOO_MANY_CONNECTIONS = '53300';

/** The message of node-postgres for a server without TLS; the error has no code. */
const NO_TLS = 'The server does not support SSL connections';
/** How a server refuses a connection without TLS (PostgreSQL 12 and later, before, poolers and providers). */
const TLS_DEMANDED = /no encryption$|SSL off$|SSL (connection is |connection )?required|insecure/i;
/** How PgBouncer refuses what is set for a whole session. */
const POOLER_REFUSAL = /unsupported startup parameter/;
/** Codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted. */
const CERTIFICATE_FAULT = /CERT|UNABLE_TO_VERIFY/;

const SETTING = 'DATABASE_URL';

/** Sources of time, for tests. */
export interface ReachOptions {
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Resolves once the database server answers; it is retried for ten seconds.
 * @throws UnavailableError when it does not answer; ConfigError, immediately, when it refuses the connection
 */
export async function reachServer(
  database: Pick<Database, 'ping'>,
  { now = () => performance.now(), pause = sleep }: ReachOptions = {},
): Promise<void> {
  const end = now() + PATIENCE_MS;
  for (;;) {
    try {
      return await database.ping();
    } catch (thrown) {
      const error = driverError(thrown);
      const refusal = refusalOfServer(error);
      if (refusal) throw refusal;
      if (now() >= end) {
        throw new UnavailableError([`${SETTING} names a server ${wordsOf(error)}`], error);
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
export function refusalOfServer(error: unknown): ConfigError | undefined {
  const serverFault = (reason: string, code: string) => new ConfigError([`${SETTING} ${reason} (${code})`]);
  const code = String((error as { code?: unknown }).code);
  if (error instanceof URIError) return serverFault('holds percent-encoding that is not UTF-8', 'malformed');
  if (code === 'ENOENT') {
    return serverFault('names a file, in sslrootcert, sslcert or sslkey, that is not there', code);
  }
  if (CERTIFICATE_FAULT.test(code)) {
    return serverFault('names a server with an untrusted certificate: sslrootcert names its authority', code);
  }
  const message = error instanceof Error ? error.message : '';
  if (POOLER_REFUSAL.test(message)) {
    return serverFault('names a connection pooler: it must lead to the server directly', code);
  }
  if (message === NO_TLS) return serverFault('demands TLS, which the server does not speak', 'sslmode');
  if (TLS_DEMANDED.test(message)) {
    return serverFault('names a server that is open only with TLS: add sslmode=verify-full', code);
  }
  if (message.includes('client certificate')) {
    return serverFault('names a server that demands a client certificate: add sslcert and sslkey', code);
  }
  if (message.includes('pg_hba.conf')) {
    return serverFault(
      'names a server whose pg_hba.conf does not let in this address, user or database',
      code,
    );
  }
  if (code.startsWith('28')) return serverFault('holds a user or password that the server refuses', code);
  if (code === '3D000') return serverFault('names a database that does not exist', code);
  if (code === '42501') return serverFault('holds a user without the rights to use the database', code);
  if (code === '25006') return serverFault('names a database that is read-only', code);
  return undefined;
}

function wordsOf(error: unknown): string {
  const isFull = (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS;
  return `${isFull ? 'without a free connection' : 'that does not answer'}${detailOf(error)}`;
}

/** The server's own words or the driver's; of a system error only the code, since its message may hold the address. */
function detailOf(error: unknown): string {
  const { code, message, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return message ? ` (${message})` : '';
  return severity === undefined ? ` (${code})` : ` (${code}: ${message})`;
}
