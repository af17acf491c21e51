import { NO_HIRER } from '../http/end-user.js';
import { BffError } from '../errors/bff-error.js';
import { clip } from '../errors/clip.js';
import type { HirerEntry } from '../hirer-access/hirer-gate.js';
import { ConfinedAnswers, type AnswerHandling } from './answers/confined-answers.js';
import type { CompiledOperation } from './compile/compile-operation.js';
import { printWithout } from './compile/optional-arguments.js';
import { checkCeilings } from './compile/variable-ceilings.js';
import { checkTypes, refusePrototypes } from './compile/variable-types.js';
import { bindVariable } from './confine/bind-variable.js';
import { guardVariables, type QueryBinding } from './guards/guard-variables.js';
import type { GraphqlResult, Outcome } from './transport/graphql-result.js';

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
  /** The event whose stored copy may say whose the answer is, where the answer itself does not. */
  readonly eventId: string | undefined;
}

const TEXTS_MAX = 64;
/** An operation that the operator registered, which callers name instead of sending a text. */
export class RegisteredOperation {
  private readonly texts = new Map<string, string>();
  private readonly answers: ConfinedAnswers;

  /** @param findGuard finds the query of `@hirer(query:)` among the registered operations */
  constructor(
    readonly compiled: CompiledOperation,
    private readonly findGuard: (name: string) => RegisteredOperation,
  ) {
    this.answers = new ConfinedAnswers(compiled);
  }

  /** True if it is of no hirer, and for machines alone (`@hirer(none: true)`). */
  get isUnbound(): boolean {
    return this.compiled.bindings.some(({ kind }) => kind === 'none');
  }

  /** `invalid_request` where it is called for a hirer and is of none, or the other way. */
  hirerFault(hirerId: string): BffError | undefined {
    const { name } = this.compiled;
    if (this.isUnbound === (hirerId === NO_HIRER)) return undefined;
    return new BffError('invalid_request', {
      detail: this.isUnbound
        ? `The operation ${name} is of no hirer: send it without X-Hirer-Id.`
        : `X-Hirer-Id is required: the operation ${name} is of a hirer.`,
    });
  }

  /**
   * Why a member may not call the operation, `scope_forbidden`; undefined for a member with a role that it names, or,
   * when it names none, with any role that has a scope.
   */
  refusalFor({ roles, scopes }: HirerEntry): BffError | undefined {
    const named = this.compiled.roles;
    const mayCall = named ? roles.some((role) => named.includes(role)) : scopes.length > 0;
    if (mayCall) return undefined;
    return new BffError('scope_forbidden', {
      detail: `The operation ${this.compiled.name} is not open to your role at this hirer.`,
    });
  }

  /**
   * The body that is sent for a call: the operation with the caller's variables, those that name the hirer set to the
   * checked one; and the queries that must succeed first.
   * @param given variables as `parseExact` reads them
   * @param hirerId {@link NO_HIRER} for an operation that is bound to none, and for no other
   * @throws BffError `invalid_request` for a variable that is unknown, missing, of the wrong type or above its ceiling;
   *   `hirer_forbidden` for one that names another hirer
   */
  prepare(given: Readonly<Record<string, unknown>>, hirerId: string): PreparedCall {
    const fault = this.hirerFault(hirerId);
    if (fault) throw fault;
    this.checkNames(given);
    refusePrototypes(given);
    checkCeilings(this.compiled.ceilings, given);
    const variables = { ...given };
    for (const binding of this.compiled.bindings) {
      if (binding.kind === 'variable') bindVariable(variables, binding.variable, hirerId);
    }
    checkTypes(this.compiled.variables, variables);
    const guards = this.compiled.bindings
      .filter((binding) => binding.kind === 'query')
      .flatMap((binding) => this.prepareGuards(binding, variables, hirerId));
    const text = this.textFor(variables);
    const body = JSON.stringify({ query: text, operationName: this.compiled.name, variables });
    return { bytes: Buffer.from(body), guards, eventId: this.eventIdOf(variables) };
  }

  /** The answer that the caller may see, see {@link ConfinedAnswers.shape}. */
  shape(result: GraphqlResult, handling: AnswerHandling): Promise<Outcome> {
    return this.answers.shape(result, handling);
  }

  /** True if the answer of this query, run as a guard, proves that the object exists and belongs to the hirer. */
  proves(result: GraphqlResult, hirerId: string): Promise<boolean> {
    return this.answers.proves(result, hirerId);
  }

  private eventIdOf(variables: Readonly<Record<string, unknown>>): string | undefined {
    const names = this.compiled.bindings.flatMap((binding) =>
      binding.kind === 'anyPath' ? (binding.event ?? []) : [],
    );
    const value = names.length > 0 ? variables[names[0]!] : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  private checkNames(given: Readonly<Record<string, unknown>>): void {
    const { name, variables } = this.compiled;
    const unknown = Object.keys(given).find((variable) => !variables.has(variable));
    if (unknown === undefined) return;
    throw new BffError('invalid_request', {
      detail: `The operation ${name} has no variable "${clip(unknown)}".`,
    });
  }

  private prepareGuards(
    binding: QueryBinding,
    variables: Readonly<Record<string, unknown>>,
    hirerId: string,
  ): Guard[] {
    return guardVariables(binding, variables).map((values) => {
      const operation = this.findGuard(binding.query);
      return { operation, bytes: operation.prepare(values, hirerId).bytes };
    });
  }

  private textFor(variables: Readonly<Record<string, unknown>>): string {
    const absent = [...this.compiled.variables].filter(
      ([name, { hasDefault }]) => !hasDefault && !Object.hasOwn(variables, name),
    );
    const names = absent.map(([name]) => name);
    const key = names.join(' ');
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    const text = printWithout(this.compiled.document, new Set(names));
    if (this.texts.size < TEXTS_MAX) this.texts.set(key, text);
    return text;
  }
}
