import type { Steps } from '../../concurrency/steps.js';
import { BffError } from '../../errors/bff-error.js';
import { NotJson } from '../../json/scan.js';
import { parseExact } from '../../json/parse-exact.js';
import type { CompiledOperation } from '../compile/compiled-operation.js';
import type { HirerBinding, Place } from '../confine/hirer-binding.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from '../confine/ownership.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { UncutAnswer } from './answer-places.js';
import { cutAnswer, type CutAnswer, type CutRules, type ProofTree } from './cut-answer.js';
import { shapeError, shapeUnprovenError } from './shaped-error.js';

/** How an answer is shaped on its way back; `mapText` replaces an attachment's URL by a sealed link. */
export interface AnswerHandling extends Pick<CutRules, 'hirerId' | 'onRemoved'> {
  readonly mapText: (text: string) => string;
  /** The hirer that the stored copy of the event names; undefined when there is none, or it names none. */
  readonly eventHirerId?: string | undefined;
}

/** Attachments that are sealed in one step. */
const SEALED_AT_ONCE = 50;

/** The answers to one registered operation: what proves that one is of the hirer, and what of it the caller may see. */
export class ConfinedAnswers {
  private readonly proof: ProofTree;

  constructor(private readonly compiled: CompiledOperation) {
    this.proof = proofTreeOf(compiled);
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
  *proves({ body }: GraphqlResult, hirerId: string): Steps<boolean> {
    try {
      const { proof } = yield* this.cut(body, { hirerId, onRemoved: () => undefined });
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
    parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}"${name}":`));
    for (const slice of slices) parts.push(slice); // they may be more than arguments fit on the stack
  }
  return Buffer.concat(parts.length === 0 ? [Buffer.from('{}')] : [...parts, Buffer.from('}')]);
}
