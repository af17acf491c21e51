import { BffError } from '../../errors/bff-error.js';
import { clip } from '../../errors/clip.js';
import { unlessTooDeep } from '../../errors/unless-too-deep.js';
import type { HirerEntry } from '../../hirer-access/hirer-gate.js';
import { parseExact } from '../../http/exact-json.js';
import { readErrors, type GraphqlResult, type Outcome } from '../transport/graphql-result.js';
import { guardVariables, type QueryBinding } from './guards.js';
import type { HirerBinding } from './hirer-binding.js';
import type { OperationDirectives } from './operation-directives.js';
import { isObject } from '../../http/json-object.js';
import type { ArgumentUse } from '../documents/operation-rules.js';
import { printWithout } from './optional-arguments.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from './ownership.js';
import { project, type Projection, type SelectionTree } from './selection-tree.js';
import { pick, shapeError, shapeUnprovenError } from './shaped-error.js';
import { checkCeilings } from './variable-ceilings.js';
import { checkTypes, refusePrototypes, type VariableDefinition } from './variable-types.js';
import type { DocumentNode } from 'graphql';

/** The compiled text of an operation: everything about it that does not depend on a call. */
export interface CompiledOperation extends OperationDirectives {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  /** Without our directives. */
  readonly document: DocumentNode;
  readonly rootKeys: readonly string[];
  readonly selection: SelectionTree;
  readonly variables: ReadonlyMap<string, VariableDefinition>;
  readonly arguments: ArgumentUse;
  /** File of the text, for the log. */
  readonly source: string;
}

/** A query that must succeed before a mutation is sent. */
export interface Guard {
  readonly operation: RegisteredOperation;
  readonly bytes: Buffer;
}

/** A call of an operation, as it is sent. */
export interface PreparedCall {
  readonly bytes: Buffer;
  /** What must be proven first. */
  readonly guards: readonly Guard[];
  /** The event whose stored copy may say whose the answer is, where the answer itself does not. */
  readonly eventId: string | undefined;
}

/** How an answer is shaped on its way back; `mapText` replaces an attachment's URL by a sealed link. */
export interface AnswerHandling extends Projection {
  readonly hirerId: string;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
}

const TEXTS_MAX = 64;

/** An operation that the operator registered, which callers name instead of sending a text. */
export class RegisteredOperation {
  private readonly texts = new Map<string, string>();

  /** @param findGuard finds the query of `@hirer(query:)` among the registered operations */
  constructor(
    readonly compiled: CompiledOperation,
    private readonly findGuard: (name: string) => RegisteredOperation,
  ) {}

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
   * What is sent for a call: the operation with the caller's variables, those that name the hirer set to the checked
   * one; and the queries that must succeed first.
   * @param given variables as `parseExact` reads them
   * @throws BffError `invalid_request` for a variable that is unknown, missing, of the wrong type or above its ceiling;
   *   `hirer_forbidden` for one that names another hirer
   */
  prepare(given: Readonly<Record<string, unknown>>, hirerId: string): PreparedCall {
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

  /**
   * The answer that the caller may see: the members that were selected, and an error unless every value at the bound
   * paths is the hirer.
   */
  shape(result: GraphqlResult, handling: AnswerHandling): Outcome {
    return unlessTooDeep(
      () => this.shapeAnswer(result, handling),
      () => new BffError('upstream_error', { message: 'the answer is nested too deeply' }),
    );
  }

  /** Whether the answer of this query, run as a guard, proves that the object exists and belongs to the hirer. */
  proves(result: GraphqlResult, hirerId: string): boolean {
    return unlessTooDeep(
      () => this.judge(readErrors(result.body).data, hirerId, undefined) === 'owned',
      () => false,
    );
  }

  private shapeAnswer(
    result: GraphqlResult,
    { hirerId, eventHirerId, ...projection }: AnswerHandling,
  ): Outcome {
    const answer = readAnswer(result.body);
    if (!answer) return new BffError('upstream_error', { message: 'the answer is not JSON' });
    const data = project(answer['data'], this.compiled.selection, projection);
    if (this.judge(data, hirerId, eventHirerId) === 'refused') {
      return new BffError('hirer_forbidden', {
        detail: 'The object is not of this hirer.',
        message: `an answer of ${this.compiled.name} does not prove that it is of the hirer`,
      });
    }
    const errors = this.shapeErrors(answer['errors'], data);
    const body = JSON.stringify({ data, errors, extensions: pick(answer['extensions'], ['requestLatency']) });
    return { ...result, body };
  }

  private shapeErrors(errors: unknown, data: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(errors)) return undefined;
    const { bindings, selection } = this.compiled;
    if (!bindings.some(isProof)) return errors.map(shapeError);
    return errors.map((error) => shapeUnprovenError(error, data, selection));
  }

  private judge(data: unknown, hirerId: string, witness: string | undefined): Verdict {
    const verdicts = this.compiled.bindings.filter(isProof).map((binding) => {
      if (binding.kind === 'path') return judgeOwnership(data, binding.path, hirerId);
      const usable = binding.event === undefined ? undefined : witness;
      return judgeAnyOwnership(data, binding.paths, hirerId, usable);
    });
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('nothing') ? 'nothing' : 'owned';
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

function isProof(binding: HirerBinding): binding is Extract<HirerBinding, { kind: 'path' | 'anyPath' }> {
  return binding.kind === 'path' || binding.kind === 'anyPath';
}

function readAnswer(body: Buffer | string): Record<string, unknown> | undefined {
  try {
    const answer = parseExact(body.toString());
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets a variable, or a member of one, to the hirer, unless the caller named another one there. The objects around it
 * are copied; the caller's own values do not change.
 */
function bindVariable(variables: Record<string, unknown>, place: readonly string[], hirerId: string): void {
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
