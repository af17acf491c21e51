import { Kind, print, specifiedScalarTypes, type TypeNode } from 'graphql';
import { BffError, clip, invalidRequest } from '../errors/bff-error.js';
import { isObject } from '../json/parse-json.js';
import { memberAt } from '../json/member-at.js';
import type { CompiledOperation } from './compile/compile-operation.js';
import type { QueryBinding } from './compile/directives.js';
import { valuesAt, type Place } from './answers/ownership.js';

/** Most objects that a call may name at the places of one optional query: each costs a call to the upstream. */
const OBJECTS_MAX = 10;

/**
 * The variables of a call as they are sent: the caller's, those that name the hirer set to the checked one.
 * @param given nested no deeper than a request may be: the walks are recursive
 * @throws BffError `invalid_request` for one that is unknown, missing or of the wrong type; `hirer_forbidden` for
 * another hirer
 */
export function prepareVariables(
  { name, variables, bindings }: CompiledOperation,
  given: Readonly<Record<string, unknown>>,
  hirerId: string,
): Record<string, unknown> {
  for (const variable of Object.keys(given)) {
    if (!variables.has(variable)) {
      throw invalidRequest(`The operation ${name} has no variable "${clip(variable)}".`);
    }
    if (hasPrototype(given[variable])) throw fault(variable, 'has a member __proto__, which is not allowed');
  }
  const bound = { ...given };
  for (const binding of bindings) {
    if (binding.kind === 'variable') bindVariable(bound, binding.variable, hirerId);
  }
  for (const [variable, { type, defaultValue }] of variables) {
    if (!Object.hasOwn(bound, variable)) {
      const isMissing = type.kind === Kind.NON_NULL_TYPE && !defaultValue;
      if (isMissing) throw fault(variable, `is required: ${print(type)}`);
    } else if (!fits(bound[variable], type)) {
      throw fault(variable, `must be of the type ${print(type)}`);
    }
  }
  return bound;
}

/** A reader that takes `__proto__` for the prototype of its holder would find members that a guard does not. */
function hasPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototype);
}

/** Sets a variable, or a member of one, to the hirer, unless the caller named another. The caller's values stay. */
function bindVariable(variables: Record<string, unknown>, place: Place, hirerId: string): void {
  let holder = variables;
  for (const key of place.slice(0, -1)) {
    const below = Object.hasOwn(holder, key) ? holder[key] : {};
    if (!isObject(below)) throw fault(place.join('.'), 'cannot be set');
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

/** What a text says without a schema: the built-in scalars and lists of them; a single value stands for a list of one. */
function fits(value: unknown, type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return value !== null && fits(value, type.type);
  if (value === null) return true;
  if (type.kind === Kind.NAMED_TYPE) return isScalar(value, type.name.value);
  const item = type.type;
  return Array.isArray(value) ? value.every((one) => fits(one, item)) : fits(value, item);
}

/** What GraphQL's own scalars accept; no other type is known here. */
function isScalar(value: unknown, name: string): boolean {
  const scalar = specifiedScalarTypes.find((one) => one.name === name);
  try {
    scalar?.parseValue(JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value);
    return true;
  } catch {
    return false;
  }
}

/** The variables of each run of a guard; none where an optional one has no object. @throws `invalid_request` */
export function guardVariables(
  { variables: places, optional }: QueryBinding,
  given: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, string>>[] {
  if (!optional) {
    // a place through a list is refused: of its objects, one may name nothing, and be changed unproven
    const values = [...places].map(([name, place]) => {
      return [name, checkText(memberAt(given, `/${place.join('/')}`), place)] as const;
    });
    return [Object.fromEntries(values)];
  }
  const [name, place] = [...places][0]!;
  const values = new Set(valuesAt(given, place).map((value) => checkText(value, place)));
  if (values.size > OBJECTS_MAX) throw fault(place.join('.'), `may name at most ${OBJECTS_MAX} objects`);
  return [...values].map((value) => ({ [name]: value }));
}

function checkText(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  throw fault(place.join('.'), 'must be a string');
}

function fault(name: string, what: string): BffError {
  return invalidRequest(`The variable "${name}" ${what}.`);
}
