import { BffError } from '../errors/bff-error.js';

/** Details of the error for a database that failed. */
export interface Unavailability {
  /** What failed, for the log. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Runs `work` on the database. A failure of the database is temporary and not the caller's fault: it may try again.
 * @throws BffError `unavailable` with the fault as its cause; a BffError that `work` throws is passed on
 */
export async function orUnavailable<T>(work: () => Promise<T>, details: Unavailability = {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BffError) throw error;
    throw new BffError('unavailable', {
      message: 'the database failed',
      culprit: 'database',
      ...details,
      cause: error,
    });
  }
}
