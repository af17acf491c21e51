import { BffError } from '../errors/bff-error.js';

/**
 * Runs `work` on the database.
 * @throws BffError `unavailable` for a fault of the database; a BffError of the work itself passes unchanged
 */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BffError ? error : new BffError('unavailable', { cause: error });
  }
}
