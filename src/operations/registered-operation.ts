import { Kind, print, visit, type DocumentNode, type ValueNode } from 'graphql';
import { BffError, invalidRequest } from '../errors/bff-error.js';
import type { GateEntry } from '../hirer-access/membership-gate.js';
import { NO_HIRER } from '../http/end-user.js';
import { guardVariables, prepareVariables } from './call-variables.js';
import type { CompiledOperation } from './compile/compile-operation.js';
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

  /** `invalid_request` where it is called for a hirer and is of none, or the other way. */
  hirerFault(hirerId: string): BffError | undefined {
    const { name } = this.compiled;
    if (this.isUnbound === (hirerId === NO_HIRER)) return undefined;
    return invalidRequest(
      this.isUnbound
        ? `The operation ${name} is of no hirer: send it without X-Hirer-Id.`
        : `X-Hirer-Id is required: the operation ${name} is of a hirer.`,
    );
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
   * @throws BffError `invalid_request` or `hirer_forbidden`, see {@link prepareVariables}
   */
  prepare(given: Readonly<Record<string, unknown>>, hirerId: string): PreparedCall {
    const fault = this.hirerFault(hirerId);
    if (fault) throw fault;
    const { bindings } = this.compiled;
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
