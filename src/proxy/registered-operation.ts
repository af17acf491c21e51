import { BffError } from '../errors/bff-error.js';
import { parseExact } from './exact-json.js';
import { readErrors, type GraphqlResult, type Outcome } from './graphql-result.js';
import type { HirerBinding, OperationDirectives } from './operation-directives.js';
import { isObject } from './operation-request.js';
import type { ArgumentUse } from './operation-rules.js';
import { printWithout } from './optional-arguments.js';
import { judgeOwnership } from './ownership.js';
import { project, type SelectionTree } from './selection-tree.js';
import type { DocumentNode } from 'graphql';

/** What a text was compiled to; everything about an operation that does not depend on a call. */
export interface CompiledOperation extends OperationDirectives {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  /** Without our directives. */
  readonly document: DocumentNode;
  readonly rootKeys: readonly string[];
  readonly selection: SelectionTree;
  /** Every variable, and whether it may be left out without a default standing in. */
  readonly variables: ReadonlyMap<string, { readonly omissible: boolean }>;
  readonly arguments: ArgumentUse;
  /** Where it stands, for the log. */
  readonly source: string;
}

/** A query that must succeed before a mutation is sent. */
export interface Guard {
  readonly operation: RegisteredOperation;
  readonly bytes: Buffer;
}

/** A call that is ready to be sent. */
export interface PreparedCall {
  readonly bytes: Buffer;
  readonly guards: readonly Guard[];
}

/** What is done to an answer on its way back. */
export interface AnswerHandling {
  readonly hirerId: string;
  /** Puts a sealed link in place of an attachment's URL. */
  readonly mapText: (text: string) => string;
  readonly onRemoved: () => void;
}

const TEXTS_MAX = 64;
const MASKED_MESSAGE = 'A part of the object could not be read.';

/** An operation of the operator's own, which callers name instead of sending a text. */
export class RegisteredOperation {
  private readonly texts = new Map<string, string>();

  /** @param findGuard finds the query of `@hirer(query:)` among the registered ones */
  constructor(
    readonly compiled: CompiledOperation,
    private readonly findGuard: (name: string) => RegisteredOperation,
  ) {}

  /**
   * What is sent for a call: the operation with the caller's variables, those that say which hirer set to the checked one.
   * @param variables as JSON has them, numbers unharmed
   * @throws BffError `invalid_request` for a variable that is unknown or above its ceiling; `hirer_forbidden` for one
   *   that names another hirer
   */
  prepare(given: Readonly<Record<string, unknown>>, hirerId: string): PreparedCall {
    this.checkVariables(given);
    const variables = structuredCopy(given);
    for (const binding of this.compiled.bindings)
      if (binding.kind === 'variable') bindVariable(variables, binding.variable, hirerId);
    const guards = this.compiled.bindings
      .filter((binding) => binding.kind === 'query')
      .map((binding) => this.prepareGuard(binding, variables, hirerId));
    const text = this.textFor(variables);
    const body = JSON.stringify({ query: text, operationName: this.compiled.name, variables });
    return { bytes: Buffer.from(body), guards };
  }

  /**
   * What the caller may see of an answer: the members that were selected, and nothing at all unless every value at the
   * bound paths is the hirer.
   */
  shape(result: GraphqlResult, { hirerId, mapText, onRemoved }: AnswerHandling): Outcome {
    const answer = readAnswer(result.body);
    if (!answer) return new BffError('upstream_error', { message: 'the answer is not JSON' });
    const data = project(answer['data'], this.compiled.selection, mapText, onRemoved);
    if (this.judge(data, hirerId) === 'refused')
      return new BffError('hirer_forbidden', {
        detail: 'The object is not of this hirer.',
        message: `an answer of ${this.compiled.name} does not prove that it is of the hirer`,
      });
    const errors = Array.isArray(answer['errors'])
      ? answer['errors'].map((error) => this.shapeError(error, data))
      : undefined;
    const body = JSON.stringify({ data, errors, extensions: pick(answer['extensions'], ['requestLatency']) });
    return { ...result, body };
  }

  /** Whether the answer of this query, run as a guard, proves that the object is there and of the hirer. */
  proves(result: GraphqlResult, hirerId: string): boolean {
    const { data } = readErrors(result.body);
    return this.judge(data, hirerId) === 'owned';
  }

  private judge(data: unknown, hirerId: string): 'owned' | 'nothing' | 'refused' {
    const paths = this.compiled.bindings.filter((binding) => binding.kind === 'path');
    const verdicts = paths.map(({ path }) => judgeOwnership(data, path, hirerId));
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('nothing') ? 'nothing' : 'owned';
  }

  private checkVariables(given: Readonly<Record<string, unknown>>): void {
    const { variables, ceilings } = this.compiled;
    for (const name of Object.keys(given)) {
      if (!variables.has(name))
        throw new BffError('invalid_request', {
          detail: `The operation ${this.compiled.name} has no variable "${clip(name)}".`,
        });
    }
    for (const [name, max] of ceilings) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined || value === null) continue;
      if (typeof value !== 'number' || value > max)
        throw new BffError('invalid_request', { detail: `The variable "${name}" is at most ${max}.` });
    }
  }

  private prepareGuard(
    { query, variables: places }: Extract<HirerBinding, { kind: 'query' }>,
    variables: Readonly<Record<string, unknown>>,
    hirerId: string,
  ): Guard {
    const values: Record<string, unknown> = {};
    for (const [name, place] of places) {
      const value = place.reduce<unknown>(
        (from, key) => (isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined),
        variables,
      );
      if (typeof value !== 'string')
        throw new BffError('invalid_request', {
          detail: `The variable "${place.join('.')}" must be a text.`,
        });
      values[name] = value;
    }
    const operation = this.findGuard(query);
    return { operation, bytes: operation.prepare(values, hirerId).bytes };
  }

  private textFor(variables: Readonly<Record<string, unknown>>): string {
    const absent = [...this.compiled.variables].filter(
      ([name, { omissible }]) => omissible && !Object.hasOwn(variables, name),
    );
    const names = absent.map(([name]) => name);
    const key = names.join(' ');
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    const text = printWithout(this.compiled.document, new Set(names));
    if (this.texts.size < TEXTS_MAX) this.texts.set(key, text);
    return text;
  }

  /**
   * An error as it may be seen. One from below a root field that came out null tells of an object nobody proved to be
   * the hirer's: its text is withheld.
   */
  private shapeError(error: unknown, data: unknown): unknown {
    if (!isObject(error)) return { message: MASKED_MESSAGE };
    const path = Array.isArray(error['path']) ? error['path'] : undefined;
    const root = isObject(data) ? data[String(path?.[0])] : undefined;
    const unproven =
      this.compiled.bindings.some(({ kind }) => kind === 'path') &&
      !isObject(root) &&
      (path?.length ?? 0) > 1;
    const { message, locations, extensions } = error;
    return {
      message: unproven || typeof message !== 'string' ? MASKED_MESSAGE : message,
      ...(!unproven && { locations }),
      path: unproven ? path?.slice(0, 1) : path,
      extensions: pick(extensions, ['code']),
    };
  }
}

function readAnswer(body: Buffer | string): Record<string, unknown> | undefined {
  try {
    const answer = parseExact(body.toString());
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Sets a variable, or a member of one, to the hirer, unless the caller named another one there. */
function bindVariable(variables: Record<string, unknown>, place: readonly string[], hirerId: string): void {
  let holder = variables;
  for (const key of place.slice(0, -1)) {
    const below = Object.hasOwn(holder, key) ? holder[key] : (holder[key] = {});
    if (!isObject(below))
      throw new BffError('invalid_request', { detail: `The variable "${place.join('.')}" cannot be set.` });
    holder = below;
  }
  const key = place.at(-1)!;
  const given = Object.hasOwn(holder, key) ? holder[key] : undefined;
  const values = Array.isArray(given) ? given : [given ?? hirerId];
  if (values.some((value) => value !== hirerId))
    throw new BffError('hirer_forbidden', { message: `variable ${place.join('.')} names another hirer` });
  holder[key] = hirerId;
}

/** A copy to change, numbers kept as raw text included. */
function structuredCopy(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return parseExact(JSON.stringify(value)) as Record<string, unknown>;
}

function pick(value: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  const picked = Object.fromEntries(
    names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]),
  );
  return Object.keys(picked).length > 0 ? picked : undefined;
}

function clip(name: string): string {
  return name.slice(0, 80);
}
