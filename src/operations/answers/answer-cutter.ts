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
import type { SelectionTree } from '../compile/selection-tree.js';
import { UnusableAnswer } from './unusable-answer.js';

/** Keys of an answer's data whose values are read, level by level; null where it is only asked if there is a value. */
export interface ProofTree {
  readonly get: (key: string) => ProofTree | null | undefined;
}

/** How a value of an answer is cut. */
export interface CutRules {
  /** What is selected of the value. */
  readonly selection: SelectionTree;
  /** What of it is read; undefined for nothing. An object in the place of a value is read as an empty one. */
  readonly proof: ProofTree | undefined;
  /** The text that most of the values read will have. */
  readonly hirerId: string;
  /** Called for each member that was not selected. */
  readonly onRemoved: () => void;
}

/** The text of a field that is marked as an attachment, and which slice of the data it is. */
export interface CutAttachment {
  readonly part: number;
  readonly text: string;
}

/** Sealing a link takes as long as cutting two kilobytes. */
const ATTACHMENTS_MAX = 1_000;
/** Each place that is left out begins another slice, and the upstream sends what was selected. */
const PARTS_MAX = 50_000;
/** Values along the {@link ProofTree}, with the lists and objects around them: they are built and judged. */
const PROOFS_MAX = 60_000;
/** Of these, values other than the hirer's id, nulls included: each is parsed. */
const OTHERS_MAX = 10_000;
/** Members of a selection that are told apart by the bits of a number. */
const BITS = 31;

/** Walks one value of an answer, once. The walk is recursive. */
export class AnswerCutter {
  /** What was read of the value that was walked last. */
  proof: unknown;
  /** True if the object that was walked last keeps no member. */
  isEmpty = true;
  readonly attachments: CutAttachment[] = [];
  private readonly hirer: string;
  private readonly parts: Buffer[] = [];
  /** Everything before it is in the parts, or left out. */
  private done = 0;
  private proofs = 0;
  private others = 0;

  /** @param text the bytes, each as a character */
  constructor(
    private readonly bytes: Buffer,
    private readonly text: string,
    private readonly rules: CutRules,
  ) {
    this.hirer = Buffer.from(JSON.stringify(rules.hirerId)).toString('latin1');
  }

  /**
   * The slices of an object, or of null, that were selected.
   * @throws NotJson unless exactly one value is there
   * @throws UnusableAnswer for a value that is no object, has another form than was selected, or too much in it
   */
  cut({ start, end }: MemberSlice): Buffer[] {
    const { selection, proof } = this.rules;
    if (this.bytes[start] === OPEN_BRACKET) throw new UnusableAnswer('a list in the place of an object');
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
    if (proof && (this.proofs += 1) > PROOFS_MAX) {
      throw new UnusableAnswer('too many values that name an owner');
    }
    if (byte === OPEN_BRACKET) return this.walkList(at, below, isAttachment, proof);
    if (byte === OPEN_BRACE && below) return this.walkObject(at, below, proof);
    if (below && byte !== LOWER_N) throw new UnusableAnswer('a value in the place of an object');
    if (isAttachment && byte === OPEN_BRACE) throw new UnusableAnswer('an object in the place of a URL');
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
    let isEmpty = true;
    let before = start;
    let leftOutAt = -1;
    let likely = 0;
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
        before = this.walk(valueAt, field.below, field.isAttachment, proofBelow ?? undefined);
        if (proofBelow) values![field.key] = this.proof;
        else if (proofBelow === null) values![field.key] = bytes[valueAt] === LOWER_N ? null : true;
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
    this.proof = values;
    this.isEmpty = isEmpty;
    return end;
  }

  private read(start: number, end: number): unknown {
    const value = this.text.slice(start, end);
    if (value === this.hirer) return this.rules.hirerId;
    if ((this.others += 1) > OTHERS_MAX) throw new UnusableAnswer('too many values that name no owner');
    return JSON.parse(this.bytes.toString('utf8', start, end));
  }

  /** Makes the text of an attachment a slice of its own, which can be replaced. */
  private setApart(start: number, end: number): void {
    const { attachments, bytes, parts } = this;
    if (attachments.length >= ATTACHMENTS_MAX) throw new UnusableAnswer('too many attachments');
    this.leaveOut(start, end);
    attachments.push({ part: parts.length, text: JSON.parse(bytes.toString('utf8', start, end)) as string });
    parts.push(bytes.subarray(start, end));
  }

  private leaveOut(start: number, end: number): void {
    if (this.parts.length >= PARTS_MAX) throw new UnusableAnswer('too much that was not selected');
    if (start > this.done) this.parts.push(this.bytes.subarray(this.done, start));
    this.done = end;
  }
}

function isAt(bytes: Buffer, at: number, sought: Buffer): boolean {
  for (let index = 0; index < sought.length; index += 1) {
    if (bytes[at + index] !== sought[index]) return false;
  }
  return true;
}

/** Which members of a selection an object has had. */
class SeenMembers {
  private bits = 0;
  private others: Set<number> | undefined;

  /** @throws UnusableAnswer for a member that was there before: readers differ in which of two they take */
  add(index: number): void {
    if (index < BITS ? this.bits & (1 << index) : this.others?.has(index)) {
      throw new UnusableAnswer('a selected member twice');
    }
    if (index < BITS) this.bits |= 1 << index;
    else (this.others ??= new Set()).add(index);
  }
}
