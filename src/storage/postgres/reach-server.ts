import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config/load-config.js';
import { UnavailableError } from '../../config/faults/start-faults.js';
import { StoreError } from '../../errors/store-error.js';
import type { Database } from '../database.js';

/** How long a start waits for the database server. */
export const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/**
 * Faults that waiting does not change: what the code (PostgreSQL, Appendix A; of Node's tls "X509 certificate error codes")
 * or the name of an error, and its message, mean for the setting. The first that fits counts.
 */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^URIError:/, 'holds percent-encoding that is not UTF-8'],
  [
    /^(?!ENOENT: connect )(?=\w*(?:CERT|ENOENT|UNABLE_TO_VERIFY))\w+:/,
    'names a server whose certificate is not trusted, or a file that is not there: check sslrootcert, sslcert and sslkey',
  ],
  [
    // of PostgreSQL, poolers and providers
    /no encryption$|SSL off$|SSL (connection is |connection )?required|insecure/i,
    'names a server that requires TLS: add sslmode=verify-full',
  ],
  [/^28/, 'names a user, password, address or client certificate that the server rejects'],
  [/^3D000:/, 'names a database that does not exist'],
  [/^42501:/, 'names a user without the rights to use the database'],
  [/^25006:/, 'names a database that is read-only'],
];

const SETTING = 'DATABASE_URL';

/** Sources of time, for tests. */
interface ReachOptions {
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Resolves once the database server answers; it is retried for ten seconds by default.
 * @throws UnavailableError when it does not answer; ConfigError, immediately, when it refuses the connection
 */
export async function reachServer(
  database: Pick<Database, 'ping'>,
  patienceMs = PATIENCE_MS,
  { now = () => performance.now(), pause = sleep }: ReachOptions = {},
): Promise<void> {
  const end = now() + patienceMs;
  for (;;) {
    try {
      return await database.ping();
    } catch (thrown) {
      const refusal = refusalOfServer(thrown);
      if (refusal) throw refusal;
      const error = driverError(thrown);
      const fault = `${SETTING} names a server that does not answer${detailOf(error)}`;
      if (now() >= end) throw new UnavailableError([fault], error);
    }
    await pause(PAUSE_MS);
  }
}

/** The driver's error where a store failed; anything else is itself. */
export function driverError(thrown: unknown): unknown {
  return thrown instanceof StoreError ? thrown.cause : thrown;
}

/** A fault of {@link REFUSALS}: the server refuses, or the URL cannot be followed. */
export function refusalOfServer(thrown: unknown): ConfigError | undefined {
  const { code, name, message } = driverError(thrown) as NodeJS.ErrnoException;
  const [, reason] = REFUSALS.find(([words]) => words.test(`${code ?? name}: ${message}`)) ?? [];
  if (reason === undefined) return undefined;
  return new ConfigError([`${SETTING} ${reason}${code === undefined ? '' : ` (${code})`}`]);
}

/** The server's own words or the driver's; of a system error only the code, since its message may hold the address. */
function detailOf(error: unknown): string {
  const { code, message, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return message ? ` (${message})` : '';
  return severity === undefined ? ` (${code})` : ` (${code}: ${message})`;
}
