import {
  Kind,
  print,
  specifiedScalarTypes,
  visit,
  type DocumentNode,
  type TypeNode,
  type ValueNode,
} from 'graphql';
import { BffError, clip, invalidRequest } from '../errors/bff-error.js';
import type { GateEntry } from '../hirer-access/membership-gate.js';
import { NO_HIRER } from '../http/end-user.js';
import { isObject } from '../json/parse-json.js';
import { memberAt } from '../json/member-at.js';
import { valuesAt, type Place } from './answers/ownership.js';
import type { CompiledOperation } from './compile/compile-operation.js';
import type { QueryBinding } from './compile/directives.js';
import { variablesIn } from './compile/parse-document.js';

/** A query that must succeed before a mutation is sent. */
export interface Guard {
  readonly operation: RegisteredOperation;
  readonly bytes: Buffer;
}

/** A call of an operation, as it is sent. */
export interface PreparedCall {
  readonly bytes: Buffer;
  /** The queries whose answers must prove ownership first. */
  readonly guards: readonly Guard[];
}

const HEADS_MAX = 64;
/** Most objects that a call may name at the places of one optional query: each costs a call to the upstream. */
const OBJECTS_MAX = 10;

/** An operation that the operator registered, which callers name instead of sending a text. */
export class RegisteredOperation {
  private readonly heads = new Map<string, string>();

  constructor(
    readonly compiled: CompiledOperation,
    private readonly findGuard: (name: string) => RegisteredOperation,
  ) {}

  /** True if it is of no hirer, and for machines alone (`@hirer(none: true)`). */
  get isUnbound(): boolean {
    return this.compiled.bindings.some(({ kind }) => kind === 'none');
  }

  /** Why a member may not call it: no role that it names or, when it names none, no role that has a scope. */
  refusalFor({ roles, scopes }: GateEntry): BffError | undefined {
    const named = this.compiled.roles;
    const mayCall = named ? roles.some((role) => named.includes(role)) : scopes.length > 0;
    if (mayCall) return undefined;
    return new BffError('scope_forbidden', {
      detail: `Your role at this hirer may not call the operation ${this.compiled.name}.`,
    });
  }

  /**
   * The body that is sent for a call, and the queries that must succeed first.
   * @param hirerId {@link NO_HIRER} for an operation that is bound to none, and for no other
   * @throws BffError `invalid_request` for a variable that is unknown, missing or of the wrong type, and for a hirer where
   * there must be none, or the other way; `hirer_forbidden` for another hirer
   */
  prepare(given: Readonly<Record<string, unknown>>, hirerId: string): PreparedCall {
    const { name, bindings } = this.compiled;
    if (this.isUnbound !== (hirerId === NO_HIRER)) {
      throw invalidRequest(
        this.isUnbound
          ? `The operation ${name} is of no hirer: send it without X-Hirer-Id.`
          : `X-Hirer-Id is required: the operation ${name} is of a hirer.`,
      );
    }
    const variables = prepareVariables(this.compiled, given, hirerId);
    const guards = bindings.flatMap((binding) => {
      if (binding.kind !== 'query') return [];
      const operation = this.findGuard(binding.query);
      return guardVariables(binding, variables).map((values) => {
        return { operation, bytes: operation.prepare(values, hirerId).bytes };
      });
    });
    const bytes = Buffer.from(`${this.headFor(variables)}${JSON.stringify(variables)}}`);
    return { bytes, guards };
  }

  /** The body up to the variables; most calls leave out the same ones. */
  private headFor(variables: Readonly<Record<string, unknown>>): string {
    const absent: string[] = [];
    for (const [name, { defaultValue }] of this.compiled.variables) {
      if (!defaultValue && !Object.hasOwn(variables, name)) absent.push(name);
    }
    const key = absent.join(' ');
    const known = this.heads.get(key);
    if (known !== undefined) return known;
    const query = printWithout(this.compiled.document, new Set(absent));
    const start = JSON.stringify({ query, operationName: this.compiled.name }).slice(0, -1);
    const head = `${start},"variables":`;
    if (this.heads.size < HEADS_MAX) this.heads.set(key, head);
    return head;
  }
}

/** The text without the arguments whose variables have no value (interface 4.3, rule 2). */
export function printWithout(document: DocumentNode, absent: ReadonlySet<string>): string {
  if (absent.size === 0) return print(document);
  const isAbsent = (value: ValueNode): boolean =>
    value.kind === Kind.VARIABLE && absent.has(value.name.value);
  const prune = ({ value }: { readonly value: ValueNode }): null | undefined =>
    isAbsent(value) ? null : undefined;
  const pruned = visit(document, { Argument: prune, ObjectField: prune });
  const used = variablesIn([pruned]);
  const isUnused = (name: string): boolean => absent.has(name) && !used.has(name);
  return print(
    visit(pruned, {
      VariableDefinition: ({ variable: { name } }) => (isUnused(name.value) ? null : undefined),
    }),
  );
}

/**
 * The variables of a call as they are sent: the caller's, those that name the hirer set to the checked one.
 * @param given nested no deeper than a request may be: the walks are recursive
 */
function prepareVariables(
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
function guardVariables(
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
