import type { Steps } from '../../concurrency/steps.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  LOWER_N,
  NotJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  endOfString,
  endOfValue,
  firstItem,
  nextItem,
  startOfValue,
} from '../../json/scan.js';
import type { MemberSlice } from '../../json/slices.js';
import { SelectionTree } from '../compile/selection-tree.js';
import { UncutAnswer, placesOf, readErrors, sliceAnswer } from './answer-places.js';

/** Keys of an answer's data whose values are read, level by level. */
export interface ProofTree {
  readonly get: (key: string) => ProofTree | undefined;
}

/** How an answer is cut. */
export interface CutRules {
  /** What is selected of the value. */
  readonly selection: SelectionTree;
  readonly proof: ProofTree;
  /** The text that most of the values read will have. */
  readonly hirerId: string;
  /** Called for each member that was not selected. */
  readonly onRemoved: () => void;
}

/** An answer as slices of its bytes. */
export interface CutAnswer {
  /** The selected data; undefined without any. */
  readonly data: Buffer[] | undefined;
  /** The texts of fields that are marked as attachments, and the slice of the data that each of them is. */
  readonly attachments: readonly { readonly part: number; readonly text: string }[];
  /** The values of the data along the {@link ProofTree}; an object in the place of a value is empty. */
  readonly proof: unknown;
  /** The list of errors as it came; undefined when there is none. */
  readonly errors: Buffer | undefined;
  /** `requestLatency` alone; undefined without it. */
  readonly extensions: readonly Buffer[] | undefined;
}

/** Sealing a link takes as long as cutting two kilobytes. */
const ATTACHMENTS_MAX = 1_000;
/** Each place that is left out begins another slice, and the upstream sends what was selected. */
const PARTS_MAX = 50_000;
/** Values that name an owner, and the lists and objects around them, are built; all but the hirer's id are parsed. */
const PROOFS_MAX = 60_000;
const OTHERS_MAX = 10_000;
const LATENCY_RULES: CutRules = {
  selection: new SelectionTree([{ key: 'requestLatency', below: null, isAttachment: false }]),
  proof: new Map(),
  hirerId: '',
  onRemoved: () => undefined,
};
/** Members of a selection that are told apart by the bits of a number. */
const BITS = 31;

/**
 * Cuts an answer to its selection without parsing it: what is neither left out nor replaced keeps its bytes. All of the
 * answer is checked to be JSON. The time grows with its size, whatever is in it; between the steps, others may run.
 * @param bytes valid UTF-8
 * @throws NotJson, UncutAnswer
 */
export function* cutAnswer(bytes: Buffer, rules: CutRules): Steps<CutAnswer> {
  const members = sliceAnswer(bytes);
  yield;
  const text = bytes.toString('latin1'); // a character for each byte, since slices of a text are cheaper than those of bytes
  const { data, errors, extensions } = placesOf(bytes, text, members);
  yield;
  const cutter = new AnswerCutter(bytes, text, rules);
  const cut = {
    data: data && cutter.cut(data),
    attachments: cutter.attachments,
    proof: cutter.proof,
    errors: errors && readErrors(bytes, errors),
  };
  yield;
  return { ...cut, extensions: extensions && readLatency(bytes, text, extensions) };
}

function readLatency(bytes: Buffer, text: string, extensions: MemberSlice): readonly Buffer[] | undefined {
  if (bytes[extensions.start] !== OPEN_BRACE) return undefined;
  const cutter = new AnswerCutter(bytes, text, LATENCY_RULES);
  const parts = cutter.cut(extensions);
  return cutter.isEmpty ? undefined : parts;
}

function isAt(bytes: Buffer, at: number, sought: Buffer): boolean {
  for (let index = 0; index < sought.length; index += 1) {
    if (bytes[at + index] !== sought[index]) return false;
  }
  return true;
}

/** Walks one value of an answer, once. */
class AnswerCutter {
  /** The proof in the value that was walked last. */
  proof: unknown;
  /** True if the object that was walked last keeps no member. */
  isEmpty = true;
  readonly attachments: { readonly part: number; readonly text: string }[] = [];
  private readonly hirer: string;
  private readonly parts: Buffer[] = [];
  /** Everything before it is in the parts, or left out. */
  private done = 0;
  private proofs = 0;
  private others = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly text: string,
    private readonly rules: CutRules,
  ) {
    this.hirer = Buffer.from(JSON.stringify(rules.hirerId)).toString('latin1');
  }

  /** @throws NotJson unless exactly one value is there; UncutAnswer for a list */
  cut({ start, end }: MemberSlice): Buffer[] {
    const { selection, proof } = this.rules;
    if (this.bytes[start] === OPEN_BRACKET) throw new UncutAnswer();
    this.done = start;
    if (this.walk(start, selection, false, proof) !== end) throw new NotJson();
    this.leaveOut(end, end);
    return this.parts;
  }

  /**
   * Walks the value at a position, and returns the one after it. Where members were selected there is an object, lists
   * of them or null; a custom scalar may be an object, but not one that is the URL of an attachment.
   */
  private walk(
    at: number,
    below: SelectionTree | null,
    isAttachment: boolean,
    proof: ProofTree | undefined,
  ): number {
    const byte = this.bytes[at];
    if (proof && (this.proofs += 1) > PROOFS_MAX) throw new UncutAnswer();
    if (byte === OPEN_BRACKET) return this.walkList(at, below, isAttachment, proof);
    if (byte === OPEN_BRACE && below) return this.walkObject(at, below, proof);
    if (below ? byte !== LOWER_N : isAttachment && byte === OPEN_BRACE) throw new UncutAnswer();
    const end = endOfValue(this.bytes, at);
    if (proof) this.proof = byte === OPEN_BRACE ? {} : this.read(at, end);
    if (isAttachment && byte === QUOTE) this.setApart(at, end);
    return end;
  }

  private walkList(
    start: number,
    below: SelectionTree | null,
    isAttachment: boolean,
    proof: ProofTree | undefined,
  ): number {
    const { bytes } = this;
    const values: unknown[] | undefined = proof && [];
    let at = firstItem(bytes, start, CLOSE_BRACKET);
    while (at >= 0) {
      const end = this.walk(at, below, isAttachment, proof);
      values?.push(this.proof);
      at = nextItem(bytes, end, CLOSE_BRACKET);
    }
    this.proof = values;
    return ~at;
  }

  /**
   * Of `{"x":1, "id":2, "y":3}` where `id` alone is selected, the parts become `{`, `"id":2` and `}`. What comes before the
   * first member that is kept is left out up to it, with its comma (`leftOutAt`); what comes later from the end of the
   * member before it (`before`), so that its comma goes along. Sets `proof` and `isEmpty`, which the caller reads at once.
   * A key is first compared with that of the field after the last one found (`likely`), which it nearly always is.
   */
  private walkObject(start: number, tree: SelectionTree, proof: ProofTree | undefined): number {
    const { bytes } = this;
    const values: Record<string, unknown> | undefined = proof && {};
    const seen = new SeenMembers();
    let [isEmpty, before, leftOutAt, likely] = [true, start, -1, 0];
    let at = firstItem(bytes, start, CLOSE_BRACE);
    while (at >= 0) {
      let field = tree.fields[likely];
      let nameEnd: number;
      if (field && isAt(bytes, at, field.quotedKey)) {
        nameEnd = at + field.quotedKey.length;
      } else {
        nameEnd = endOfString(bytes, at);
        field = tree.get(this.text.slice(at + 1, nameEnd - 1));
      }
      const valueAt = startOfValue(bytes, nameEnd);
      if (field) {
        likely = field.index + 1;
        seen.add(field.index);
        if (isEmpty && leftOutAt >= 0) this.leaveOut(leftOutAt, at);
        isEmpty = false;
        const proofBelow = proof?.get(field.key);
        before = this.walk(valueAt, field.below, field.isAttachment, proofBelow);
        if (proofBelow) values![field.key] = this.proof;
      } else {
        this.rules.onRemoved();
        const memberEnd = endOfValue(bytes, valueAt);
        if (!isEmpty) this.leaveOut(before, memberEnd);
        else if (leftOutAt < 0) leftOutAt = at;
        before = memberEnd;
      }
      at = nextItem(bytes, before, CLOSE_BRACE);
    }
    const end = ~at;
    if (isEmpty && leftOutAt >= 0) this.leaveOut(leftOutAt, end - 1);
    [this.proof, this.isEmpty] = [values, isEmpty];
    return end;
  }

  private read(start: number, end: number): unknown {
    const value = this.text.slice(start, end);
    if (value === this.hirer) return this.rules.hirerId;
    if ((this.others += 1) > OTHERS_MAX) throw new UncutAnswer();
    return JSON.parse(this.bytes.toString('utf8', start, end));
  }

  /** Makes the text of an attachment a slice of its own, which can be replaced. */
  private setApart(start: number, end: number): void {
    const { attachments, bytes, parts } = this;
    if (attachments.length >= ATTACHMENTS_MAX) throw new UncutAnswer();
    this.leaveOut(start, end);
    attachments.push({ part: parts.length, text: JSON.parse(bytes.toString('utf8', start, end)) as string });
    parts.push(bytes.subarray(start, end));
  }

  private leaveOut(start: number, end: number): void {
    if (this.parts.length >= PARTS_MAX) throw new UncutAnswer();
    if (start > this.done) this.parts.push(this.bytes.subarray(this.done, start));
    this.done = end;
  }
}

/** Which members of a selection an object has had. */
class SeenMembers {
  private bits = 0;
  private others: Set<number> | undefined;

  /** @throws UncutAnswer for a member that was there before: readers differ in which of two they take */
  add(index: number): void {
    if (index >= BITS) {
      this.others ??= new Set();
      if (this.others.has(index)) throw new UncutAnswer();
      this.others.add(index);
    } else {
      if (this.bits & (1 << index)) throw new UncutAnswer();
      this.bits |= 1 << index;
    }
  }
}
