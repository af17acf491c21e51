import { isObject } from '../../json/is-object.js';

/** Keys that lead to a value of an answer, or of the variables, through lists. */
export type Place = readonly string[];

/**
 * The values at a place, through lists at any depth. A null or missing value is left out. Where a text, a number or a
 * boolean stands on the way, the value is undefined: there is something, but not what was expected.
 */
export function valuesAt(value: unknown, place: Place): readonly unknown[] {
  const values: unknown[] = [];
  collect(value, place, 0, values);
  return values;
}

function collect(value: unknown, place: Place, step: number, values: unknown[]): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, place, step, values);
    return;
  }
  const key = place[step];
  if (key === undefined) values.push(value);
  else if (!isObject(value)) values.push(undefined);
  else if (Object.hasOwn(value, key)) collect(value[key], place, step + 1, values);
}

/** The verdict on the owner of an answer's data; `nothing` when the answer has none. */
export type Verdict = 'owned' | 'nothing' | 'refused';

interface Claim {
  readonly hirerId: string;
  /** True where every object on the way must have a value, so that null, a missing member or an empty list refuses. */
  readonly isEach?: boolean;
  /** The hirer that a stored event names, for a single object that is silent at every path. */
  readonly witness?: string | undefined;
}

/**
 * Judges whether an answer's data proves, at paths that begin with the same field, that it is of the hirer. No value
 * there may be another hirer, or anything but a text; and there must be one in each object of a list at the root, since
 * one object says nothing of another. A root field that is null has nothing to prove.
 */
export function judgeOwnership(data: unknown, paths: readonly Place[], claim: Claim): Verdict {
  if (data === null || data === undefined) return 'nothing';
  const [first] = paths[0]!;
  const root = isObject(data) && Object.hasOwn(data, first!) ? data[first!] : undefined;
  if (root === null) return 'nothing';
  const below = paths.map((path) => path.slice(1));
  const { isEach, hirerId } = claim;
  return (isEach ? isEachOwned(root, below[0]!, hirerId) : isOwned(root, below, claim)) ? 'owned' : 'refused';
}

function isOwned(value: unknown, paths: readonly Place[], claim: Claim): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isOwned(item, paths, { hirerId: claim.hirerId }));
  }
  const values = paths.flatMap((path) => valuesAt(value, path));
  if (values.length === 0) return isObject(value) && claim.witness === claim.hirerId;
  return values.every((found) => found === claim.hirerId);
}

function isEachOwned(value: unknown, place: Place, hirerId: string): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((item) => isEachOwned(item, place, hirerId));
  }
  const [key, ...below] = place;
  if (key === undefined) return value === hirerId;
  return isObject(value) && Object.hasOwn(value, key) && isEachOwned(value[key], below, hirerId);
}

/**
 * Port: which hirer a change event belongs to, by its signed webhook: not every type names its hirer in the schema.
 */
export abstract class EventOwners {
  /**
   * Undefined when no signed copy of the event is known, or it names no hirer.
   * @throws StoreError
   */
  abstract hirerOf(eventId: string): Promise<string | undefined>;
}
