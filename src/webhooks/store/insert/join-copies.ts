import { measureJson, parseExact, type JsonSize } from '../../../json/exact-json.js';
import { UNTYPED, type EventTrust, type WebhookEvent } from '../webhook-event.js';

/** One copy of an event: as it is stored, or as it has just arrived. */
interface EventCopy extends Pick<WebhookEvent, 'type' | 'hirerId' | 'createDateTime'> {
  readonly trust: EventTrust;
  /** Null once it has been deleted. */
  readonly payload: string | null;
}

/** A copy that has just arrived. */
export type ArrivedCopy = EventCopy & { readonly payload: string };

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
  private event: EventCopy;
  private members: Members;
  private bytes: number;
  private values: number;

  constructor(private readonly stored: EventCopy) {
    const payload = stored.payload ?? '{}';
    this.event = stored;
    this.bytes = Buffer.byteLength(payload);
    const size = measureJson(payload);
    this.values = size.values;
    this.members = this.hasRoomFor(0, 0) ? membersOf(payload, size) : new Map<string, unknown>();
  }

  /** The event with the copies that were added. */
  get joined(): ArrivedCopy {
    return { ...this.event, payload: JSON.stringify(Object.fromEntries(this.members)) };
  }

  /** True if a signed copy has taken the place of one that was not. */
  get isNowSigned(): boolean {
    return this.event.trust !== this.stored.trust;
  }

  /** @returns true if the event says more by it, or something else */
  add(copy: ArrivedCopy): boolean {
    return copy.trust === 'signed' && this.event.trust !== 'signed'
      ? this.replace(copy)
      : this.complete(copy);
  }

  /** Only what the copy does not say of hirer, type and time stays. */
  private replace(copy: ArrivedCopy): boolean {
    const [before, known] = [this.event, this.members];
    this.event = { ...joinColumns(copy, before), trust: copy.trust, payload: copy.payload };
    const size = measureJson(copy.payload);
    this.members = membersOf(copy.payload, size);
    this.bytes = Buffer.byteLength(copy.payload);
    this.values = size.values;
    if (copy.hirerId === null && before.hirerId !== null) this.members.set('hirerId', before.hirerId);
    return this.isOther(before) || (this.stored.payload !== null && saysMore(this.members, known));
  }

  private complete(copy: ArrivedCopy): boolean {
    const { event: before, members } = this;
    const added = [...membersOf(copy.payload)].filter(
      ([name, value]) => value !== null && members.get(name) == null,
    );
    if (before.hirerId === null && copy.hirerId !== null) added.push(['hirerId', copy.hirerId]);
    const text = JSON.stringify(Object.fromEntries(added));
    const bytes = Buffer.byteLength(text);
    const { values } = measureJson(text);
    if (added.length === 0 || !this.hasRoomFor(bytes, values)) return false;
    this.event = { ...joinColumns(before, copy), trust: before.trust, payload: before.payload };
    if (this.stored.payload === null && !this.isOther(before)) return false;
    for (const [name, value] of added) members.set(name, value);
    this.bytes += bytes;
    this.values += values;
    return true;
  }

  private hasRoomFor(bytes: number, values: number): boolean {
    return this.bytes + bytes <= BYTES_MAX && this.values + values <= VALUES_MAX;
  }

  private isOther({ type, hirerId }: EventCopy): boolean {
    return type !== this.event.type || hirerId !== this.event.hirerId;
  }
}

function joinColumns(
  leading: EventCopy,
  other: EventCopy,
): Pick<EventCopy, 'type' | 'hirerId' | 'createDateTime'> {
  return {
    type: leading.type === UNTYPED ? other.type : leading.type,
    hirerId: leading.hirerId ?? other.hirerId,
    createDateTime: leading.createDateTime ?? other.createDateTime,
  };
}

function membersOf(payload: string, size?: JsonSize): Members {
  return new Map(Object.entries(parseExact(payload, size) as object));
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
