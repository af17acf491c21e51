import { BffError } from '../../errors/bff-error.js';
import { isObject } from '../../json/is-object.js';

/**
 * Sets a variable, or a member of one, to the hirer, unless the caller named another one there. The objects around it
 * are copied; the caller's own values do not change.
 */
export function bindVariable(
  variables: Record<string, unknown>,
  place: readonly string[],
  hirerId: string,
): void {
  let holder = variables;
  for (const key of place.slice(0, -1)) {
    const below = Object.hasOwn(holder, key) ? holder[key] : {};
    if (!isObject(below)) {
      throw new BffError('invalid_request', { detail: `The variable "${place.join('.')}" cannot be set.` });
    }
    holder = holder[key] = { ...below };
  }
  const key = place.at(-1)!;
  const given = Object.hasOwn(holder, key) ? holder[key] : undefined;
  const values = Array.isArray(given) ? given : [given ?? hirerId];
  if (values.some((value) => value !== hirerId)) {
    throw new BffError('hirer_forbidden', { message: `variable ${place.join('.')} names another hirer` });
  }
  holder[key] = hirerId;
}
