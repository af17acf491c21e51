import type { Database } from '../storage/database.js';
import type { WebhookEvent } from './webhook-event.js';

const CHANNEL = 'events';
const MESSAGE_BYTES_MAX = 7_000; // PostgreSQL takes 8000
const EVERY_HIRER = '*';

/** Which hirers have new events; undefined when it may be any. */
export type HirersConcerned = ReadonlySet<string> | undefined;

/** Tells all replicas that there are new events. A hint: whoever must miss none reads the store now and then too. */
export class EventNotices {
  constructor(private readonly database: Database) {}

  /** Does not wait, and does not fail: readers that hear nothing find the events by themselves. */
  announce(events: readonly Pick<WebhookEvent, 'hirerId'>[]): void {
    if (events.length === 0) return;
    const hirers = [...new Set(events.map(({ hirerId }) => hirerId ?? ''))].join('\n');
    const message = Buffer.byteLength(hirers) > MESSAGE_BYTES_MAX ? EVERY_HIRER : hirers;
    this.database.publish(CHANNEL, message).catch(() => undefined);
  }

  listen(onEvents: (hirers: HirersConcerned) => void): void {
    this.database.subscribe(
      CHANNEL,
      (message) => onEvents(message === EVERY_HIRER ? undefined : new Set(message.split('\n'))),
      () => onEvents(undefined),
    );
  }
}
