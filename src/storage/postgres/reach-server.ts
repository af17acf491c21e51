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
/** Codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted. */
const CERTIFICATE_FAULT = /CERT|UNABLE_TO_VERIFY/;

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
  { now = Date.now, pause = sleep }: ReachOptions = {},
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
        throw new UnavailableError(
          'DATABASE_URL',
          `names a server that does not answer${detailOf(error)}`,
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
export function refusalOfServer(error: unknown): ConfigError | undefined {
  const code = String((error as { code?: unknown }).code);
  if (error instanceof URIError) return serverFault('holds percent-encoding that is not UTF-8', 'malformed');
  if (CERTIFICATE_FAULT.test(code)) return serverFault('names a server with an untrusted certificate', code);
  if (error instanceof Error && error.message === NO_TLS) {
    return serverFault('demands TLS, which the server does not speak', 'sslmode');
  }
  if (code.startsWith('28')) return serverFault('holds a user or password that the server refuses', code);
  if (code === '3D000') return serverFault('names a database that does not exist', code);
  if (code === '42501') return serverFault('holds a user without the rights to use the database', code);
  if (code === '25006') return serverFault('names a database that is read-only', code);
  return undefined;
}

function serverFault(reason: string, code: string): ConfigError {
  return new ConfigError([`DATABASE_URL ${reason} (${code})`]);
}

/** The server's own words or the driver's; of a system error only the code, since its message may hold the address. */
function detailOf(error: unknown): string {
  const { code, message, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return message ? ` (${message})` : '';
  return severity === undefined ? ` (${code})` : ` (${code}: ${message})`;
}
