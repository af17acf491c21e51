import { Injectable } from '@nestjs/common';
import { Database, NOTICE_BYTES_MAX } from '../../storage/database.js';
import { RELATIONSHIP_CHANGED, type ReceivedEvent } from '../webhook-event.js';

const CHANNEL = 'events';
const RELATIONSHIPS_CHANNEL = 'relationships';
const EVERY_HIRER = '*';

/** Which hirers have new events; undefined when it may be any. */
export type HirersConcerned = ReadonlySet<string> | undefined;

/** Notifies all replicas of new events. Notices can get lost, so every listener also reads the store periodically. */
@Injectable()
export class EventNotices {
  constructor(private readonly database: Database) {}

  /** Neither waits nor fails: readers that miss the notice find the events when they next read the store. */
  announce(events: readonly Pick<ReceivedEvent, 'type' | 'hirerId'>[]): void {
    if (events.length === 0) return;
    this.publish(CHANNEL, messageOf(events));
    const isChange = events.some(({ type }) => type === RELATIONSHIP_CHANGED);
    if (isChange) this.publish(RELATIONSHIPS_CHANNEL, EVERY_HIRER);
  }

  listen(onEvents: (hirers: HirersConcerned) => void): void {
    this.database.subscribe(
      CHANNEL,
      (message) => onEvents(message === EVERY_HIRER ? undefined : new Set(message.split('\n'))),
      () => onEvents(undefined),
    );
  }

  listenToRelationships(onChange: () => void): void {
    this.database.subscribe(RELATIONSHIPS_CHANNEL, onChange, onChange);
  }

  private publish(channel: string, message: string): void {
    this.database.publish(channel, message).catch(() => undefined);
  }
}

/** The hirers, each with the end of its line, so that none is taken for every hirer; the empty one stands for none. */
function messageOf(events: readonly Pick<ReceivedEvent, 'hirerId'>[]): string {
  const hirers = new Set(events.map(({ hirerId }) => `${hirerId ?? ''}\n`));
  const message = [...hirers].join('');
  return Buffer.byteLength(message) > NOTICE_BYTES_MAX ? EVERY_HIRER : message;
}
