import type { EventRecord, EventType } from '../data/records.js';
import type { World } from '../data/world.js';
import type { Webhooks } from '../webhooks/webhooks.js';

/** The contents of an event besides its type. */
export interface EventFacts {
  readonly hirerId: string;
  /** Type-specific members of a webhook body. */
  readonly members: Readonly<Record<string, string>>;
  /** How long ago it happened, in milliseconds: a late event enters the stream behind readers that have passed. 0 by default. */
  readonly lateMs?: number;
}

/** Emits events: adds each to the stream and passes it to the webhooks. Changes no other data. */
export class EventFeed {
  constructor(
    private readonly world: () => World,
    private readonly webhooks: Webhooks,
    private readonly now: () => number,
  ) {}

  tell(type: EventType, { hirerId, members, lateMs = 0 }: EventFacts): EventRecord {
    const world = this.world();
    const createdMs = this.now() - lateMs;
    const event: EventRecord = {
      id: world.newId('seekAnzPublicTest:event:events'),
      type,
      schemeId: 'seekAnzPublicTest',
      hirerId,
      createdMs,
      streamMs: createdMs,
      order: world.events.size,
      members,
    };
    world.events.add(event);
    this.webhooks.offer(event);
    return event;
  }
}
