import { invalid } from './errors.js';

/** Throws unless a code is one of those documented. */
export function assertOneOf(code: string, codes: readonly string[], field: string): void {
  if (!codes.includes(code)) throw invalid(field, `must be one of ${codes.join(', ')}`);
}

/** The same for each of several codes. */
export function assertEachOneOf(
  list: readonly string[] | null | undefined,
  codes: readonly string[],
  field: string,
): void {
  for (const [index, code] of (list ?? []).entries()) assertOneOf(code, codes, `${field}[${String(index)}]`);
}

/** Throws for a text of more than this number of characters. */
export function assertLength(text: string | null | undefined, charactersMax: number, field: string): void {
  if ((text?.length ?? 0) > charactersMax) {
    throw invalid(field, `must have at most ${String(charactersMax)} characters`);
  }
}

/** Throws for a text without anything but white space, and for one that is too long. */
export function assertText(text: string, charactersMax: number, field: string): void {
  if (text.trim() === '') throw invalid(field, 'must not be blank');
  assertLength(text, charactersMax, field);
}

/** Throws for a list with fewer or more members. */
export function assertCount(
  list: readonly unknown[] | null | undefined,
  min: number,
  max: number,
  field: string,
): void {
  const count = list?.length ?? 0;
  if (count >= min && count <= max) return;
  const wanted =
    min === max
      ? `exactly ${String(min)}`
      : min === 0
        ? `at most ${String(max)}`
        : `from ${String(min)} to ${String(max)}`;
  throw invalid(field, `must have ${wanted} ${max === 1 ? 'member' : 'members'}`);
}

/** The only member of a list. */
export function onlyMember<T>(list: readonly T[] | null | undefined, field: string): T {
  assertCount(list, 1, 1, field);
  return (list as readonly [T])[0];
}

/** Throws when two members are the same; undefined and null do not count. */
export function assertDistinct(list: readonly (string | null | undefined)[], field: string): void {
  const given = list.filter((value) => value != null);
  if (new Set(given).size < given.length) throw invalid(field, 'must not repeat a value');
}

/** How many suggestions are wanted; 10 unless the argument `first` says otherwise. */
export function readLimit(first: number | null | undefined, max: number): number {
  const size = first ?? 10;
  if (size < 0 || size > max) throw invalid('first', `must be from 0 to ${String(max)}`);
  return size;
}
