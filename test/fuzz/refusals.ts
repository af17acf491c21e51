import { BffError } from '../../src/errors/bff-error.js';
import type { ErrorCode } from '../../src/errors/error-codes.js';

/**
 * The value that was read, or undefined when the input was refused by one of these codes; any other throw is a fault of
 * ours.
 */
export function readOrRefuse<T>(codes: readonly ErrorCode[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BffError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
