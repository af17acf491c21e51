import type { EventRecord } from './records.js';

/** How long events can be read and replayed. */
export const KEPT_MS = 90 * 86_400_000;

/** The position of an event in the stream; a page starts after one. */
export type StreamPosition = Pick<EventRecord, 'streamMs' | 'order'>;

/** All events in ascending stream time. An event may arrive late, at a position that readers have passed. */
export class EventStream {
  private readonly events: EventRecord[] = [];
  private readonly byId = new Map<string, EventRecord>();

  /** Fast when the event is the newest, as it nearly always is. */
  add(event: EventRecord): void {
    let place = this.events.length;
    while (place > 0 && comparePositions(event, this.events[place - 1] ?? event) < 0) place--;
    this.events.splice(place, 0, event);
    this.byId.set(event.id, event);
  }

  /** For a whole history at once, in any order. */
  addAll(events: readonly EventRecord[]): void {
    this.events.push(...events);
    this.events.sort(comparePositions);
    for (const event of events) this.byId.set(event.id, event);
  }

  get size(): number {
    return this.events.length;
  }

  /** The event with this identifier, if its stream time is at least `streamMs`. */
  get(id: string, streamMs = -Infinity): EventRecord | undefined {
    const event = this.byId.get(id);
    return event !== undefined && event.streamMs >= streamMs ? event : undefined;
  }

  /** Events with a stream time of at least `streamMs`, the earliest first. */
  since(streamMs: number): EventRecord[] {
    const first = this.events.findIndex((event) => event.streamMs >= streamMs);
    return first === -1 ? [] : this.events.slice(first);
  }
}

/** Order of the stream: by time, then as events came, so that none comes behind a reader at its time. */
export function comparePositions(a: StreamPosition, b: StreamPosition): number {
  return a.streamMs - b.streamMs || a.order - b.order;
}
