import { ValidateBy } from 'class-validator';

/**
 * Holds a property of a class for `validate` to a rule of our own; at most one for each property.
 * @param each holds every item of a list to it
 */
export const Is = (rule: (value: unknown) => boolean, message: string, each = false) =>
  ValidateBy({ name: 'is', validator: { validate: rule, defaultMessage: () => message } }, { each });
