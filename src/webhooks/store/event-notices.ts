import { Injectable } from '@nestjs/common';
import { Database } from '../../storage/database.js';
import { RELATIONSHIP_CHANGED, type WebhookEvent } from './webhook-event.js';

const CHANNEL = 'events';
const RELATIONSHIPS_CHANNEL = 'relationships';
const MESSAGE_BYTES_MAX = 7_000; // PostgreSQL takes 8000
const EVERY_HIRER = '*';

/** Which hirers have new events; undefined when it may be any. */
export type HirersConcerned = ReadonlySet<string> | undefined;

/** Notifies all replicas of new events. Notices can get lost, so every listener also reads the store periodically. */
@Injectable()
export class EventNotices {
  constructor(private readonly database: Database) {}

  /** Neither waits nor fails: readers that miss the notice find the events when they next read the store. */
  announce(events: readonly Pick<WebhookEvent, 'type' | 'hirerId'>[]): void {
    if (events.length === 0) return;
    this.publish(CHANNEL, events);
    const changes = events.filter(({ type }) => type === RELATIONSHIP_CHANGED);
    if (changes.length > 0) this.publish(RELATIONSHIPS_CHANNEL, changes);
  }

  /** Calls `onEvents` for new events of any hirer. */
  listen(onEvents: (hirers: HirersConcerned) => void): void {
    this.subscribe(CHANNEL, onEvents);
  }

  /** Calls `onChange` for changed relationships. */
  listenToRelationships(onChange: (hirers: HirersConcerned) => void): void {
    this.subscribe(RELATIONSHIPS_CHANNEL, onChange);
  }

  private publish(channel: string, events: readonly Pick<WebhookEvent, 'hirerId'>[]): void {
    const hirers = [...new Set(events.map(({ hirerId }) => hirerId ?? ''))].join('\n');
    const message = Buffer.byteLength(hirers) > MESSAGE_BYTES_MAX ? EVERY_HIRER : hirers;
    this.database.publish(channel, message).catch(() => undefined);
  }

  private subscribe(channel: string, onNotice: (hirers: HirersConcerned) => void): void {
    this.database.subscribe(
      channel,
      (message) => onNotice(message === EVERY_HIRER ? undefined : new Set(message.split('\n'))),
      () => onNotice(undefined),
    );
  }
}
