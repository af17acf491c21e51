import {
  CLOSE_BRACKET,
  NotJson,
  OPEN_BRACKET,
  endOfItems,
  endOfString,
  endOfValue,
} from '../../json/scan.js';
import { sliceMembers, type MemberSlice } from '../../json/slices.js';

/**
 * An answer that cannot be cut: a member is there twice, a value has not the form that was selected, or there is too much
 * of what takes time.
 */
export class UncutAnswer extends Error {}

/** Levels of brackets in any member; the walk is recursive. */
const LEVELS_MAX = 500;
/** Errors are parsed, and a short one may grow. */
const ERRORS_MAX = 1_000;
const ERRORS_BYTES_MAX = 262_144;
/** The members of an answer that count; others are left out. */
const ANSWER_MEMBERS: ReadonlySet<string> = new Set(['data', 'errors', 'extensions']);

/** The members of an answer. @throws NotJson */
export function sliceAnswer(bytes: Buffer): readonly MemberSlice[] {
  const members = sliceMembers(bytes, LEVELS_MAX);
  if (!members) throw new NotJson();
  return members;
}

/**
 * The places of the members that count; names, and values but for the data, are checked to be JSON.
 * @param text the bytes, each as a character
 * @throws NotJson, UncutAnswer
 */
export function placesOf(
  bytes: Buffer,
  text: string,
  members: readonly MemberSlice[],
): Partial<Record<string, MemberSlice>> {
  const places = new Map<string, MemberSlice>();
  for (const member of members) {
    const name = text.slice(member.nameStart + 1, endOfString(bytes, member.nameStart) - 1);
    if (places.has(name) || name.includes('\\')) throw new UncutAnswer();
    if (name !== 'data' && endOfValue(bytes, member.start) !== member.end) throw new NotJson();
    if (ANSWER_MEMBERS.has(name)) places.set(name, member);
  }
  return Object.fromEntries(places);
}

/** The list of errors as it came; undefined when it is no list. @throws UncutAnswer */
export function readErrors(bytes: Buffer, { start, end }: MemberSlice): Buffer | undefined {
  if (bytes[start] !== OPEN_BRACKET) return undefined;
  let count = 0;
  endOfItems(bytes, start, CLOSE_BRACKET, (_, at) => {
    count += 1;
    return endOfValue(bytes, at);
  });
  if (count > ERRORS_MAX || end - start > ERRORS_BYTES_MAX) throw new UncutAnswer();
  return bytes.subarray(start, end);
}
