import { setImmediate as nextTurn } from 'node:timers/promises';
import { BffError } from '../../errors/bff-error.js';
import { isObject } from '../../json/is-object.js';
import type { CompiledOperation } from '../compile/compile-operation.js';
import type { HirerBinding } from '../compile/directives.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from '../confine/ownership.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { AnswerSelector } from './answer-selector.js';
import { UnusableAnswer, parseAnswer } from './parse-answer.js';
import { shapeConfinedError, shapeError } from './shaped-error.js';

/** How an answer is shaped on its way back. */
export interface AnswerHandling {
  readonly hirerId: string;
  /** Replaces an attachment's URL by a sealed link. */
  readonly mapText: (text: string) => string;
  /** Called for each member that was not selected. */
  readonly onRemoved: () => void;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
}

/** A larger answer is measured, parsed, walked and written in several turns of the event loop. */
const LARGE_BYTES = 65_536;
/** One of two bytes becomes a message of forty. */
const ERRORS_MAX = 1_000;

/** The answers to one registered operation: what proves that one is of the hirer, and what of it the caller may see. */
export class ConfinedAnswers {
  private readonly proofs: readonly ProofBinding[];

  constructor(private readonly compiled: CompiledOperation) {
    this.proofs = compiled.bindings.filter(isProof);
  }

  /**
   * The answer that the caller may see: the members that were selected, and an error unless every value at the bound
   * paths is the hirer. What is judged is what is written.
   */
  async shape(result: GraphqlResult, handling: AnswerHandling): Promise<Outcome> {
    try {
      return await this.shapeAnswer(result, handling);
    } catch (error) {
      if (!(error instanceof UnusableAnswer)) throw error;
      return new BffError('upstream_error', { message: 'the answer is not usable', cause: error });
    }
  }

  /** True if the answer of this query, run as a guard, proves that the object exists and belongs to the hirer. */
  async proves({ body }: GraphqlResult, hirerId: string): Promise<boolean> {
    try {
      const { data } = await this.read(body, (text) => text);
      return this.judge(data, hirerId, undefined) === 'owned';
    } catch (error) {
      if (!(error instanceof UnusableAnswer)) throw error;
      return false;
    }
  }

  private async shapeAnswer(result: GraphqlResult, handling: AnswerHandling): Promise<Outcome> {
    const { hirerId, eventHirerId, mapText, onRemoved } = handling;
    const { data, errors, extensions } = await this.read(result.body, mapText, onRemoved);
    if (this.judge(data, hirerId, eventHirerId) === 'refused') {
      return new BffError('hirer_forbidden', {
        detail: 'The object does not belong to this hirer.',
        message: `an answer of ${this.compiled.name} does not prove that it is of the hirer`,
      });
    }
    if (result.body.length > LARGE_BYTES) await ownTurn();
    const shaped = Array.isArray(errors) ? this.shapeErrors(errors, data) : undefined;
    const body = JSON.stringify({ data, errors: shaped, extensions: readLatency(extensions) });
    const some = shaped?.length ? Buffer.from(JSON.stringify(shaped)) : undefined;
    return { ...result, errors: some, body: Buffer.from(body) };
  }

  /** The members of an answer, of its data only what was selected. @throws UnusableAnswer */
  private async read(
    body: Buffer | string,
    mapText: (text: string) => string,
    onRemoved: () => void = () => undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    const isLarge = body.length > LARGE_BYTES;
    if (isLarge) await ownTurn();
    const answer = await parseAnswer(body.toString(), isLarge ? ownTurn : undefined);
    if (isLarge) await ownTurn();
    const { data = null } = answer;
    if (Array.isArray(data)) throw new UnusableAnswer('a list in the place of an object');
    new AnswerSelector(mapText, onRemoved).select(data, this.compiled.selection);
    return answer;
  }

  private shapeErrors(errors: readonly unknown[], data: unknown): readonly unknown[] {
    if (errors.length > ERRORS_MAX) throw new UnusableAnswer('more errors than are accepted');
    if (this.proofs.length === 0) return errors.map(shapeError);
    return errors.map((error) => shapeConfinedError(error, data, this.compiled));
  }

  private judge(data: unknown, hirerId: string, witness: string | undefined): Verdict {
    const verdicts = this.proofs.map((binding) => {
      if (binding.kind === 'path') return judgeOwnership(data, binding.path, hirerId);
      const usable = binding.event === undefined ? undefined : witness;
      return judgeAnyOwnership(data, binding.paths, hirerId, usable);
    });
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('nothing') ? 'nothing' : 'owned';
  }
}

let lastTurn = Promise.resolve();

/** Waits for a turn of the event loop in which no other large answer is handled. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** A binding that the answer itself must prove. */
type ProofBinding = Extract<HirerBinding, { kind: 'path' | 'anyPath' }>;

function isProof(binding: HirerBinding): binding is ProofBinding {
  return binding.kind === 'path' || binding.kind === 'anyPath';
}

/** Of `extensions` the latency alone, if it is a number (interface 2.4). */
function readLatency(extensions: unknown): { requestLatency: unknown } | undefined {
  const { requestLatency } = isObject(extensions) ? extensions : {};
  const isNumber = typeof requestLatency === 'number' || JSON.isRawJSON(requestLatency);
  return isNumber ? { requestLatency } : undefined;
}
