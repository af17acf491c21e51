import { Inject, Optional } from '@nestjs/common';

const NEVER_PROVIDED = Symbol('DEFAULT');

/**
 * Marks a constructor parameter that Nest leaves at its default value, such as a clock or a bound, for a test that
 * builds the class with `new` to choose.
 */
export function Default(): ParameterDecorator {
  return (target, key, index) => {
    Inject(NEVER_PROVIDED)(target, key, index);
    Optional()(target, key, index);
  };
}
