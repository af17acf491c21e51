import { getMetadataStorage, ValidateBy, validateSync } from 'class-validator';
import { BffError, clip, type FieldFault } from './bff-error.js';

const OPTIONS = { validationError: { target: false, value: false } } as const;
const FAULTS_MAX = 20;

/**
 * The input as an instance of `Shape`, a class whose properties carry class-validator decorators. Unknown members
 * never reach it: a name like `constructor` would change what is validated.
 * @throws BffError `invalid_request` that lists the faults, unknown members included; of those at most twenty, since
 *   the caller determines their number
 */
export function validate<T extends object>(Shape: new () => T, input: Record<string, unknown>): T {
  const candidate = new Shape() as T & Record<string, unknown>;
  const errors: FieldFault[] = [];
  const known = propertiesOf(Shape);
  for (const name of known) if (Object.hasOwn(input, name)) Object.assign(candidate, { [name]: input[name] });
  for (const name in input) {
    if (errors.length >= FAULTS_MAX) break;
    if (!known.has(name)) errors.push({ field: clip(name), message: 'is not accepted here' });
  }
  for (const { property, constraints = {} } of validateSync(candidate, OPTIONS)) {
    errors.push({ field: property, message: Object.values(constraints).join('; ') });
  }
  if (errors.length === 0) return candidate;
  throw new BffError('invalid_request', { errors });
}

/** Names of the properties that carry a decorator. */
function propertiesOf(Shape: new () => object): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Shape, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/**
 * Holds a property of a class for `validate` to a rule of our own; at most one for each property.
 * @param each holds every item of a list to it
 */
export const Is = (rule: (value: unknown) => boolean, message: string, each = false) =>
  ValidateBy({ name: 'is', validator: { validate: rule, defaultMessage: () => message } }, { each });
