import { hasMoreValues, parseExact } from '../../json/parse-json.js';
import { UNTYPED, type ReceivedEvent } from '../webhook-event.js';

/** An event as the store has it; its payload is null once it has been deleted. */
export type StoredEvent = Omit<ReceivedEvent, 'payload'> & { readonly payload: string | null };

type Members = ReadonlyMap<string, unknown>;

/** The bounds of a joined payload, so that copies cannot let an event grow without end. */
const BYTES_MAX = 1_048_576;
const VALUES_MAX = 10_000;

/**
 * A stored event with a copy that names no other hirer. The copy supplies what the event lacks; a signed one takes the
 * place, whole, of one that only reconciliation brought.
 * @returns undefined where the copy changes nothing
 */
export function joinCopy(
  stored: StoredEvent,
  copy: ReceivedEvent,
): { readonly event: ReceivedEvent; readonly isFuller: boolean } | undefined {
  const known = membersOf(stored.payload ?? '{}');
  const arrived = membersOf(copy.payload);
  if (copy.trust === 'signed' && stored.trust !== 'signed') {
    const members = new Map(arrived);
    if (copy.hirerId === null && stored.hirerId !== null) members.set('hirerId', stored.hirerId);
    const event = { ...copy, ...columnsOf(copy, stored), payload: textOf(members) };
    const isFuller = isOther(event, stored) || (stored.payload !== null && saysMore(members, known));
    return { event, isFuller };
  }
  const added = new Map([...arrived].filter(([name, value]) => value !== null && known.get(name) == null));
  if (stored.hirerId === null && copy.hirerId !== null) added.set('hirerId', copy.hirerId);
  const payload = textOf(new Map([...known, ...added]));
  const event = { ...stored, ...columnsOf(stored, copy), payload };
  const isRestored = stored.payload === null && !isOther(event, stored);
  if (added.size === 0 || isRestored || isTooLarge(payload)) return undefined;
  return { event, isFuller: true };
}

function isTooLarge(payload: string): boolean {
  return Buffer.byteLength(payload) > BYTES_MAX || hasMoreValues(payload, VALUES_MAX);
}

function isOther(event: StoredEvent, { type, hirerId }: StoredEvent): boolean {
  return type !== event.type || hirerId !== event.hirerId;
}

/** What the leading copy does not say of type, hirer and time, the other does. */
function columnsOf(leading: StoredEvent, other: StoredEvent) {
  return {
    type: leading.type === UNTYPED ? other.type : leading.type,
    hirerId: leading.hirerId ?? other.hirerId,
    createDateTime: leading.createDateTime ?? other.createDateTime,
  };
}

function membersOf(payload: string): Members {
  return new Map(Object.entries(parseExact(payload) as object));
}

function textOf(members: Members): string {
  return JSON.stringify(Object.fromEntries(members));
}

function saysMore(members: Members, known: Members): boolean {
  return [...members].some(([name, value]) => value !== null && !isSame(name, value, known.get(name)));
}

/** True if two values of a member say the same; times may be written differently. */
function isSame(name: string, a: unknown, b: unknown): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  const areTexts = typeof a === 'string' && typeof b === 'string';
  return name === 'createDateTime' && areTexts && Date.parse(a) === Date.parse(b);
}
