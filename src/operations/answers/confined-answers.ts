import type { Steps } from '../../concurrency/steps.js';
import { BffError } from '../../errors/bff-error.js';
import { NotJson } from '../../json/scan.js';
import type { CompiledOperation } from '../compile/compiled-operation.js';
import type { HirerBinding } from '../compile/hirer-binding.js';
import { judgeAnyOwnership, judgeOwnership, type Verdict } from '../confine/ownership.js';
import type { Place } from '../confine/values-at.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import type { CutRules, ProofTree } from './answer-cutter.js';
import { cutAnswer, type CutAnswer } from './cut-answer.js';
import { shapeConfinedError, shapeError } from './shaped-error.js';
import { UnusableAnswer } from './unusable-answer.js';

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
  private readonly proofs: readonly ProofBinding[];
  private readonly proofTree: ProofTree | undefined;

  constructor(private readonly compiled: CompiledOperation) {
    this.proofs = compiled.bindings.filter(isProof);
    if (this.proofs.length > 0) this.proofTree = proofTreeOf(compiled.ownedRootKeys, this.proofs);
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
    yield;
    const errors = answer.errors && this.shapeErrors(answer.errors, answer.proof);
    const { data, extensions } = answer;
    return { ...result, errors, body: joinMembers({ data, errors: errors && [errors], extensions }) };
  }

  private cut(
    body: Buffer | string,
    { hirerId, onRemoved }: Pick<CutRules, 'hirerId' | 'onRemoved'>,
  ): Steps<CutAnswer> {
    const rules = { selection: this.compiled.selection, proof: this.proofTree, hirerId, onRemoved };
    return cutAnswer(Buffer.isBuffer(body) ? body : Buffer.from(body), rules);
  }

  private shapeErrors(bytes: Buffer, proof: unknown): Buffer {
    const errors = JSON.parse(bytes.toString()) as readonly unknown[];
    const shaped =
      this.proofs.length === 0
        ? errors.map(shapeError)
        : errors.map((error) => shapeConfinedError(error, proof, this.compiled.selection));
    return Buffer.from(JSON.stringify(shaped));
  }

  private judge(proof: unknown, hirerId: string, witness: string | undefined): Verdict {
    const verdicts = this.proofs.map((binding) => {
      if (binding.kind === 'path') return judgeOwnership(proof, binding.path, hirerId);
      const usable = binding.event === undefined ? undefined : witness;
      return judgeAnyOwnership(proof, binding.paths, hirerId, usable);
    });
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('nothing') ? 'nothing' : 'owned';
  }
}

/** A binding that the answer itself must prove. */
type ProofBinding = Extract<HirerBinding, { kind: 'path' | 'anyPath' }>;

function isProof(binding: HirerBinding): binding is ProofBinding {
  return binding.kind === 'path' || binding.kind === 'anyPath';
}

/** What is read of an answer: the values that name the hirer, and of other root fields if they are there. */
function proofTreeOf(ownedRootKeys: readonly string[], proofs: readonly ProofBinding[]): ProofTree {
  const tree = new ProofLevel(ownedRootKeys.map((key) => [key, null]));
  for (const path of proofs.flatMap(pathsOf)) {
    let level = tree;
    for (const key of path) {
      const below = level.get(key) ?? new ProofLevel();
      level.set(key, below);
      level = below;
    }
  }
  return tree;
}

function pathsOf(binding: ProofBinding): readonly Place[] {
  return binding.kind === 'path' ? [binding.path] : binding.paths;
}

class ProofLevel extends Map<string, ProofLevel | null> {}

/** True if the upstream's answer is at fault. */
function isUnusable(error: unknown): boolean {
  return error instanceof NotJson || error instanceof UnusableAnswer;
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
