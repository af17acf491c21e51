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

/** True for an error of a store that answers, and takes no writes. */
export function isReadOnly({ cause }: Error): boolean {
  return (cause as DriverError | undefined)?.code === READ_ONLY;
}

/** Errors of JavaScript itself: a value that cannot be sent, or a URL that cannot be read. */
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
  if (!isStoreFault(error as DriverError)) return error;
  const reason = message || (code ?? name); // of all the addresses of a host together, there is only a code
  return new StoreError('database', reason, { cause: error });
}

/** True for an error that the server answered with. */
export function isReply(error: unknown): boolean {
  return (error as DriverError).severity !== undefined;
}

/** An error that the server did not answer with comes from the connection, the pool or a timeout. */
function isStoreFault(error: DriverError): boolean {
  if (!isReply(error)) return !OWN_ERRORS.test(error.name);
  return STORE_CODES.test(String(error.code));
}
