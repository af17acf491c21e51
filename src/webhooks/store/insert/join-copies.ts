import { parseExact } from '../../../json/parse-exact.js';
import { UNTYPED, type EventTrust, type WebhookEvent } from '../webhook-event.js';

/** One copy of an event: as it is stored, or as it has just arrived. */
export interface EventCopy extends Pick<WebhookEvent, 'type' | 'hirerId' | 'createDateTime'> {
  readonly trust: EventTrust;
  /** Null once it has been deleted. */
  readonly payload: string | null;
}

/** Two copies of an event, joined. */
export interface JoinedCopy extends EventCopy {
  readonly payload: string;
  /** True if it says more than the stored copy, or something else. */
  readonly isFuller: boolean;
}

type Members = ReadonlyMap<string, unknown>;

/**
 * Joins a copy of an event that has just arrived to the stored one. Signed members win over reconciled ones, and
 * otherwise those stored first; each copy supplies the members that the other lacks. Joining the same copy again
 * changes nothing.
 */
export function joinCopies(stored: EventCopy, copy: EventCopy & { readonly payload: string }): JoinedCopy {
  const isReplaced = copy.trust === 'signed' && stored.trust !== 'signed';
  const [leading, other] = isReplaced ? [copy, stored] : [stored, copy];
  const hirerId = leading.hirerId ?? other.hirerId;
  const members = joinMembers(membersOf(leading), membersOf(other));
  if (hirerId !== leading.hirerId) members.set('hirerId', hirerId);
  const type = leading.type === UNTYPED ? other.type : leading.type;
  const isOther = type !== stored.type || hirerId !== stored.hirerId;
  return {
    trust: leading.trust,
    type,
    hirerId,
    createDateTime: leading.createDateTime ?? other.createDateTime,
    payload: JSON.stringify(Object.fromEntries(members)),
    isFuller: isOther || (stored.payload !== null && saysMore(members, membersOf(stored))),
  };
}

function membersOf({ payload }: EventCopy): Members {
  return new Map(payload === null ? [] : Object.entries(parseExact(payload) as object));
}

function joinMembers(leading: Members, other: Members): Map<string, unknown> {
  const members = new Map(leading);
  for (const [name, value] of other) if (members.get(name) == null) members.set(name, value);
  return members;
}

function saysMore(members: Members, known: Members): boolean {
  return [...members].some(([name, value]) => value !== null && !isSame(name, value, known.get(name)));
}

/** True if two values of a member say the same; times may be written differently. */
function isSame(name: string, a: unknown, b: unknown): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  return name === 'createDateTime' && isSameTime(a, b);
}

/** Of texts only: a sender may put there what cannot be made one, such as a number that `parseExact` keeps. */
function isSameTime(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b);
}
