import { Kind, print, type TypeNode } from 'graphql';
import { BffError } from '../../errors/bff-error.js';
import { clip } from '../../errors/clip.js';
import type {} from '../../json/parse-exact.js';
import type { VariableDefinition } from './check-directives.js';

/**
 * Checks the variables of a call against their declarations, as far as these say it without a schema: what is required,
 * and the built-in scalars and lists of them. A single value stands for a list of one, as in GraphQL.
 * @param given as `parseExact` reads them, those included that the service sets
 * @throws BffError `invalid_request` that names the variable
 */
export function checkTypes(
  definitions: ReadonlyMap<string, VariableDefinition>,
  given: Readonly<Record<string, unknown>>,
): void {
  for (const [name, { type, hasDefault }] of definitions) {
    if (!Object.hasOwn(given, name)) {
      if (type.kind === Kind.NON_NULL_TYPE && !hasDefault) throw fault(name, `is required: ${print(type)}`);
    } else if (!fits(given[name], type)) {
      throw fault(name, `must be of the type ${print(type)}`);
    }
  }
}

/**
 * Refuses a member called `__proto__` at any depth. A reader that takes it for the prototype of its holder would find
 * members that a guard, which looks at the holder's own, does not.
 * @param given at most as deeply nested as a request may be: the walk is recursive
 * @throws BffError `invalid_request` that names the variable
 */
export function refusePrototypes(given: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(given)) {
    if (hasPrototype(given[name])) throw fault(clip(name), 'has a member __proto__, which is not allowed');
  }
}

function hasPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototype);
}

function fits(value: unknown, type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return value !== null && fits(value, type.type);
  if (value === null) return true;
  if (type.kind === Kind.NAMED_TYPE) return isScalar(value, type.name.value);
  const item = type.type;
  return Array.isArray(value) ? value.every((one) => fits(one, item)) : fits(value, item);
}

/** Input coercion of the scalars that GraphQL has built in; no other type is known here. */
function isScalar(value: unknown, name: string): boolean {
  switch (name) {
    case 'Int':
      return toNumber(value) === (toNumber(value) | 0); // 32 bits
    case 'Float':
      return Number.isFinite(toNumber(value));
    case 'String':
      return typeof value === 'string';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'ID':
      return typeof value === 'string' || Number.isInteger(toNumber(value));
    default:
      return true;
  }
}

/** The value of a number, also of one that is kept as raw text; NaN for anything else. */
function toNumber(value: unknown): number {
  if (JSON.isRawJSON(value)) return Number(JSON.stringify(value));
  return typeof value === 'number' ? value : NaN;
}

function fault(name: string, what: string): BffError {
  return new BffError('invalid_request', { detail: `The variable "${name}" ${what}.` });
}
