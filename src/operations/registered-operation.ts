import { BffError } from '../errors/bff-error.js';
import { clip } from '../errors/clip.js';
import { runSteps, type Steps } from '../concurrency/steps.js';
import type { HirerEntry } from '../hirer-access/hirer-gate.js';
import { parseExact } from '../json/parse-exact.js';
import type { GraphqlResult, Outcome } from './transport/graphql-result.js';
import {
  UncutAnswer,
  cutAnswer,
  type CutAnswer,
  type CutRules,
  type ProofTree,
} from './answers/cut-answer.js';
import { guardVariables, type QueryBinding } from './confine/guards.js';
import type { HirerBinding, Place } from './confine/hirer-binding.js';
import type { OperationDirectives } from './compile/operation-directives.js';
import { isObject } from '../json/is-object.js';
import type { ArgumentUse } from './documents/operation-rules.js';
import { printWithout } from './compile/optional-arguments.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from './confine/ownership.js';
import type { SelectionTree } from './compile/selection-tree.js';
import { shapeError, shapeUnprovenError } from './answers/shaped-error.js';
import { NotJson } from '../json/scan.js';
import { checkCeilings } from './compile/variable-ceilings.js';
import { checkTypes, refusePrototypes, type VariableDefinition } from './compile/variable-types.js';
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
  /** The queries whose answers must prove ownership first. */
  readonly guards: readonly Guard[];
  /** The event whose stored copy may say whose the answer is, where the answer itself does not. */
  readonly eventId: string | undefined;
}

/** How an answer is shaped on its way back; `mapText` replaces an attachment's URL by a sealed link. */
export interface AnswerHandling extends Pick<CutRules, 'hirerId' | 'onRemoved'> {
  readonly mapText: (text: string) => string;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
}

const TEXTS_MAX = 64;
/** Attachments that are sealed in one step. */
const SEALED_AT_ONCE = 50;

/** An operation that the operator registered, which callers name instead of sending a text. */
export class RegisteredOperation {
  private readonly texts = new Map<string, string>();
  private readonly proof: ProofTree;

  /** @param findGuard finds the query of `@hirer(query:)` among the registered operations */
  constructor(
    readonly compiled: CompiledOperation,
    private readonly findGuard: (name: string) => RegisteredOperation,
  ) {
    this.proof = proofTreeOf(compiled);
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
   * paths is the hirer. The time grows with the size of the answer; between the steps, others may run.
   */
  *shape(result: GraphqlResult, handling: AnswerHandling): Steps<Outcome> {
    try {
      return yield* this.shapeAnswer(result, handling);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      return new BffError('upstream_error', { message: 'the answer is not usable', cause: error });
    }
  }

  /** True if the answer of this query, run as a guard, proves that the object exists and belongs to the hirer. */
  proves({ body }: GraphqlResult, hirerId: string): boolean {
    try {
      const { proof } = runSteps(this.cut(body, { hirerId, onRemoved: () => undefined }));
      return this.judge(proof, hirerId, undefined) === 'owned';
    } catch (error) {
      if (!isUnusable(error)) throw error;
      return false;
    }
  }

  private *shapeAnswer(result: GraphqlResult, handling: AnswerHandling): Steps<Outcome> {
    const answer = yield* this.cut(result.body, handling);
    if (this.judge(answer.proof, handling.hirerId, handling.eventHirerId) === 'refused') {
      return new BffError('hirer_forbidden', {
        detail: 'The object does not belong to this hirer.',
        message: `an answer of ${this.compiled.name} does not prove that it is of the hirer`,
      });
    }
    yield* replaceAttachments(answer, handling.mapText);
    const errors = answer.errors && [
      Buffer.from(JSON.stringify(this.shapeErrors(answer.errors, answer.proof))),
    ];
    return { ...result, body: joinMembers({ data: answer.data, errors, extensions: answer.extensions }) };
  }

  private cut(
    body: Buffer | string,
    { hirerId, onRemoved }: Pick<CutRules, 'hirerId' | 'onRemoved'>,
  ): Steps<CutAnswer> {
    const rules = { selection: this.compiled.selection, proof: this.proof, hirerId, onRemoved };
    return cutAnswer(Buffer.isBuffer(body) ? body : Buffer.from(body), rules);
  }

  /** @param proven the proven part of the data */
  private shapeErrors(bytes: Buffer, proven: unknown): readonly unknown[] {
    const errors = parseExact(bytes.toString()) as readonly unknown[];
    const { bindings, selection } = this.compiled;
    if (!bindings.some(isProof)) return errors.map(shapeError);
    return errors.map((error) => shapeUnprovenError(error, proven, selection));
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

/** The parts of an answer that must be read: whether its root fields are there, and the values that name the hirer. */
function proofTreeOf({ rootKeys, bindings }: CompiledOperation): ProofTree {
  const tree = new ProofLevel();
  const add = (place: Place): void => {
    let level = tree;
    for (const key of place) {
      const below = level.get(key) ?? new ProofLevel();
      level.set(key, below);
      level = below;
    }
  };
  for (const key of rootKeys) add([key]);
  for (const binding of bindings) {
    if (binding.kind === 'path') add(binding.path);
    if (binding.kind === 'anyPath') binding.paths.forEach(add);
  }
  return tree;
}

class ProofLevel extends Map<string, ProofLevel> {}

/** True if the upstream's answer is at fault. */
function isUnusable(error: unknown): boolean {
  return error instanceof NotJson || error instanceof UncutAnswer;
}

/** Puts sealed links in the place of attachments. */
function* replaceAttachments(
  { data, attachments }: CutAnswer,
  mapText: (text: string) => string,
): Steps<void> {
  for (const [index, { part, text }] of attachments.entries()) {
    if (index % SEALED_AT_ONCE === 0) yield;
    const replacement = mapText(text);
    if (replacement !== text) data![part] = Buffer.from(JSON.stringify(replacement));
  }
}

/** The bytes of a JSON object whose members are slices; one without slices is left out. */
function joinMembers(members: Readonly<Record<string, readonly Buffer[] | undefined>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, slices] of Object.entries(members)) {
    if (!slices) continue;
    parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}"${name}":`), ...slices);
  }
  return Buffer.concat(parts.length === 0 ? [Buffer.from('{}')] : [...parts, Buffer.from('}')]);
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
