import { validateSync } from 'class-validator';
import { BffError } from './bff-error.js';

const OPTIONS = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
} as const;

/**
 * The input as an instance of `Shape`, a class whose properties carry class-validator decorators.
 * @throws BffError `invalid_request` that lists every fault, members that are not known included
 */
export function validate<T extends object>(Shape: new () => T, input: Record<string, unknown>): T {
  const candidate = new Shape();
  for (const key of Object.keys(input)) {
    Object.defineProperty(candidate, key, {
      value: input[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  const faults = validateSync(candidate, OPTIONS);
  if (faults.length === 0) return candidate;
  const errors = faults.map(({ property, constraints = {} }) => ({
    field: property,
    message: constraints['whitelistValidation']
      ? 'is not accepted here'
      : Object.values(constraints).join('; '),
  }));
  throw new BffError('invalid_request', { errors });
}
