import { UnavailableError } from '../../config/faults/start-faults.js';
import { ConfigError } from '../../config/load-config.js';
import { StoreError } from '../../errors/store-error.js';

/**
 * SQLSTATE classes and codes (PostgreSQL, Appendix A) of a server that is not at our service: connections,
 * authorization and databases it refuses (08, 28, 3D, 42501), read-only and timed out transactions (25006, 25P03,
 * 25P04), deadlocks and lock timeouts (40, 55P03), a lack of disk, memory or connections (53), shutdown and statement
 * timeouts (57), and its own faults (58, F0, XX). Not 08P01, with which it answers a wrong number of parameters.
 */
const STORE_CODES = /^((08(?!P01)|28|3D|40|53|57|58|F0|XX)...|25006|25P0[34]|42501|55P03)$/;

/** How a server answers what it may not write: a standby, or a former primary that was fenced off. */
export const READ_ONLY = '25006';
/** Our own, for a server whose commits wait for a synchronous standby. */
export const COMMITS_WAIT = '57BFF';

/** True for an error of a store that answers, and takes no writes. */
export function takesNoWrites({ cause }: Error): boolean {
  return [READ_ONLY, COMMITS_WAIT].includes(String((cause as DriverError | undefined)?.code));
}

/**
 * Errors of JavaScript itself: a value that cannot be sent, or a URL that cannot be read. All others that no server answered
 * with come from the connection, the pool or a timeout.
 */
const OWN_ERRORS = /^(Type|Range|URI|Syntax)Error$/;

/** The driver's error: only the server's answers have a `severity`. */
interface DriverError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/**
 * The error to throw for one of the driver's: a {@link StoreError} where the server does not answer or cannot work,
 * with the driver's as its cause. A statement that is wrong, or violates a constraint, is a mistake of ours and stays
 * as it is.
 */
export function toStoreError(error: unknown): unknown {
  const { name, message, code } = error as DriverError;
  const isOurs = isReply(error) ? !STORE_CODES.test(String(code)) : OWN_ERRORS.test(name);
  if (isOurs) return error;
  const reason = message || (code ?? name); // of all the addresses of a host together, there is only a code
  return new StoreError('database', reason, { cause: error });
}

/** True for an error that the server answered with. */
export function isReply(error: unknown): boolean {
  return (error as DriverError).severity !== undefined;
}

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

/** The fault of a server that does not answer, in its own words; of a system error only the code: the message has the address. */
export function absenceOfServer(thrown: unknown): UnavailableError {
  const error = driverError(thrown);
  const { code, message, severity } = error as DriverError;
  const detail = severity === undefined ? (code ?? message) : `${code}: ${message}`;
  return new UnavailableError(
    [`${SETTING} names a server that does not answer${detail ? ` (${detail})` : ''}`],
    error,
  );
}
