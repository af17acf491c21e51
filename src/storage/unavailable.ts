import { BffError } from '../errors/bff-error.js';

/** What a caller of a store that failed is told. */
export interface Unavailability {
  /** What failed, for the log. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Runs `work` on the database. The database failing is nothing the caller did and passes: it may try again.
 * @throws BffError `unavailable` with the fault as its cause; a BffError that `work` throws stays what it is
 */
export async function orUnavailable<T>(work: () => Promise<T>, details: Unavailability = {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BffError) throw error;
    throw new BffError('unavailable', { message: 'the database failed', ...details, cause: error });
  }
}
