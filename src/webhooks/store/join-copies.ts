import { countValues, parseExact } from '../../json/exact-json.js';
import { UNTYPED, type ReceivedEvent } from '../webhook-event.js';

/** An event as the store has it; its payload is null once it has been deleted. */
export type StoredEvent = Omit<ReceivedEvent, 'payload'> & { readonly payload: string | null };

type Members = Map<string, unknown>;

/** The bounds of a joined payload, so that copies cannot let an event grow without end. */
const BYTES_MAX = 1_048_576;
const VALUES_MAX = 10_000;

/**
 * A stored event to which copies are joined, none of which names another hirer. A copy supplies the members that the
 * event lacks; a signed one takes the place, whole, of one that only reconciliation brought. Adding the same copy again
 * changes nothing. The payload is parsed and written once, however many copies there are.
 */
export class JoinedEvent {
  private event: StoredEvent;
  private members: Members;
  private bytes: number;
  private values: number;

  constructor(private readonly stored: StoredEvent) {
    const { payload } = stored;
    this.event = stored;
    this.members = payload === null ? new Map<string, unknown>() : membersOf(payload);
    this.bytes = Buffer.byteLength(payload ?? '');
    this.values = countValues(payload ?? '{}');
  }

  /** The event with the copies that were added. */
  get joined(): ReceivedEvent {
    return { ...this.event, payload: textOf(this.members) };
  }

  /** @returns true if the event says more by it, or something else */
  add(copy: ReceivedEvent): boolean {
    const { event: before, members: known } = this;
    const arrived = membersOf(copy.payload);
    if (copy.trust === 'signed' && before.trust !== 'signed') {
      this.event = { ...copy, ...columnsOf(copy, before) };
      if (copy.hirerId === null && before.hirerId !== null) arrived.set('hirerId', before.hirerId);
      this.members = arrived;
      this.bytes = Buffer.byteLength(copy.payload);
      this.values = countValues(copy.payload);
      return this.isOther(before) || (this.stored.payload !== null && saysMore(arrived, known));
    }
    const lacking = [...arrived].filter(([name, value]) => value !== null && known.get(name) == null);
    const added = new Map(lacking);
    if (before.hirerId === null && copy.hirerId !== null) added.set('hirerId', copy.hirerId);
    if (added.size === 0 || !this.hasRoomFor(added)) return false;
    this.event = { ...before, ...columnsOf(before, copy) };
    if (this.stored.payload === null && !this.isOther(before)) return false;
    for (const [name, value] of added) known.set(name, value);
    return true;
  }

  /** Takes the room, where there is some. */
  private hasRoomFor(added: Members): boolean {
    const text = textOf(added);
    const bytes = this.bytes + Buffer.byteLength(text);
    const values = this.values + countValues(text);
    if (bytes > BYTES_MAX || values > VALUES_MAX) return false;
    [this.bytes, this.values] = [bytes, values];
    return true;
  }

  private isOther({ type, hirerId }: StoredEvent): boolean {
    return type !== this.event.type || hirerId !== this.event.hirerId;
  }
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
