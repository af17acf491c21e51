import type { EventRecord } from './records.js';

/** The position of an event in the stream; a page starts after one. */
export interface StreamPosition {
  readonly streamMs: number;
  readonly id: string;
}

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

  get(id: string): EventRecord | undefined {
    return this.byId.get(id);
  }

  /** The events with these identifiers, in the order given, without those that are unknown. */
  withIds(ids: readonly string[]): EventRecord[] {
    return ids.map((id) => this.byId.get(id)).filter((event) => event !== undefined);
  }

  /** Events with a stream time of at least `streamMs`, the earliest first. */
  since(streamMs: number): EventRecord[] {
    const first = this.events.findIndex((event) => event.streamMs >= streamMs);
    return first === -1 ? [] : this.events.slice(first);
  }
}

/** Order of the stream: by time, then by identifier. */
export function comparePositions(a: StreamPosition, b: StreamPosition): number {
  return a.streamMs - b.streamMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
