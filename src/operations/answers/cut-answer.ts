import type { Steps } from '../../concurrency/steps.js';
import {
  CLOSE_BRACKET,
  NotJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  endOfItems,
  endOfString,
  endOfValue,
} from '../../json/scan.js';
import { sliceMembers, type MemberSlice } from '../../json/slices.js';
import { SelectionTree } from '../compile/selection-tree.js';
import { AnswerCutter, type CutAttachment, type CutRules } from './answer-cutter.js';
import { UnusableAnswer } from './unusable-answer.js';

/** An answer as slices of its bytes. */
export interface CutAnswer {
  /** The selected data; undefined without any. */
  readonly data: Buffer[] | undefined;
  readonly attachments: readonly CutAttachment[];
  /** What was read of the data, see {@link CutRules.proof}. */
  readonly proof: unknown;
  /** The list of errors as it came; undefined when there is none. */
  readonly errors: Buffer | undefined;
  /** `requestLatency` alone; undefined without it. */
  readonly extensions: readonly Buffer[] | undefined;
}

/** Levels of brackets in any member; the walk is recursive. */
const LEVELS_MAX = 500;
/** Each error is parsed and written anew, and one of two bytes becomes a message of forty. */
const ERRORS_MAX = 1_000;
const ERRORS_BYTES_MAX = 262_144;
const LATENCY_RULES: CutRules = {
  selection: new SelectionTree([{ key: 'requestLatency', below: null, isAttachment: false }]),
  proof: undefined,
  hirerId: '',
  onRemoved: () => undefined,
};

/** The members of an answer that count; others are left out. */
type AnswerMember = 'data' | 'errors' | 'extensions';
const ANSWER_MEMBERS: ReadonlySet<string> = new Set<AnswerMember>(['data', 'errors', 'extensions']);

/**
 * Cuts an answer to its selection without parsing it: what is neither left out nor replaced keeps its bytes. All of the
 * answer is checked to be JSON. The time grows with its size, whatever is in it; between the steps, others may run.
 * @param bytes valid UTF-8
 * @throws NotJson, UnusableAnswer
 */
export function* cutAnswer(bytes: Buffer, rules: CutRules): Steps<CutAnswer> {
  const members = sliceMembers(bytes, LEVELS_MAX);
  if (!members) throw new UnusableAnswer('no members, or more or deeper ones than are accepted');
  yield;
  const { data, errors, extensions } = membersThatCount(bytes, members);
  yield;
  const text = bytes.toString('latin1'); // a character for each byte, since slices of a text are cheaper than those of bytes
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

/** Names, and values but for the data, are checked to be JSON. @throws NotJson, UnusableAnswer */
function membersThatCount(
  bytes: Buffer,
  members: readonly MemberSlice[],
): Partial<Record<AnswerMember, MemberSlice>> {
  const counting = new Map<string, MemberSlice>();
  for (const member of members) {
    const { name, nameStart, start, end } = member;
    endOfString(bytes, nameStart);
    if (name !== 'data' && endOfValue(bytes, start) !== end) throw new NotJson();
    if (!ANSWER_MEMBERS.has(name)) continue;
    if (counting.has(name)) throw new UnusableAnswer(`the member "${name}" twice`);
    counting.set(name, member);
  }
  return Object.fromEntries(counting);
}

function readErrors(bytes: Buffer, { start, end }: MemberSlice): Buffer | undefined {
  if (bytes[start] !== OPEN_BRACKET) return undefined;
  let count = 0;
  endOfItems(bytes, start, CLOSE_BRACKET, (_, at) => {
    count += 1;
    return endOfValue(bytes, at);
  });
  if (count > ERRORS_MAX || end - start > ERRORS_BYTES_MAX) {
    throw new UnusableAnswer('more, or longer, errors than are accepted');
  }
  return bytes.subarray(start, end);
}

/** True for an object whose one member is a number. */
function isLatency(text: string): boolean {
  return /^\{[^:]*:\s*-?\d[\d.eE+-]*\s*\}$/.test(text);
}

function readLatency(bytes: Buffer, text: string, extensions: MemberSlice): readonly Buffer[] | undefined {
  if (bytes[extensions.start] !== OPEN_BRACE) return undefined;
  const cutter = new AnswerCutter(bytes, text, LATENCY_RULES);
  const parts = cutter.cut(extensions);
  return isLatency(Buffer.concat(parts).toString('latin1')) ? parts : undefined;
}
