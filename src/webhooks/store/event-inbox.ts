import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LATE, within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { StoreError } from '../../errors/store-error.js';
import { Database } from '../../storage/database.js';
import { EventNotices } from './event-notices.js';
import { EventSinks } from './event-sinks.js';
import type { Insertion, ReceivedEvent } from '../webhook-event.js';
import { insertEvents } from './insert-events.js';

const WAITING_MAX = 2_000;
const WAITING_BYTES_MAX = 67_108_864;
const EVENT_OVERHEAD_BYTES = 500;
const EVENTS_PER_COMMIT = 500;
const PUT_TIMEOUT_MS = 5_000; // the upstream waits 10 s for its answer

interface Waiting {
  readonly events: readonly ReceivedEvent[];
  readonly bytes: number;
  readonly stored: PromiseWithResolvers<readonly Insertion[]>;
}

/**
 * Makes received events durable. Requests that arrive during a commit share the next one, so that they wait for the
 * disk only once. If it fails and the store is not to blame, each request has one of its own, so that what one holds
 * fails that one alone.
 */
@Injectable()
export class EventInbox {
  private readonly waiting: Waiting[] = [];
  private committing = false;
  /** Of all events not committed yet, those under way and of late requests included. */
  private bytes = 0;

  constructor(
    private readonly database: Database,
    private readonly sinks: EventSinks,
    private readonly notices: EventNotices,
    @Default() private readonly putTimeoutMs = PUT_TIMEOUT_MS,
  ) {}

  /**
   * They are on disk when the promise resolves.
   * @throws StoreError when that is uncertain: the store is down, too slow or overloaded
   */
  async put(events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    const isFull = this.waiting.length >= WAITING_MAX || this.bytes >= WAITING_BYTES_MAX;
    if (isFull) throw new StoreError('database', 'too many webhooks wait for the store');
    const stored = Promise.withResolvers<readonly Insertion[]>();
    const sizeOf = (sum: number, { payload }: ReceivedEvent) =>
      sum + 2 * payload.length + EVENT_OVERHEAD_BYTES;
    const bytes = events.reduce(sizeOf, 0);
    this.bytes += bytes;
    this.waiting.push({ events, bytes, stored });
    void this.commitWaiting();
    const insertions = await within(this.putTimeoutMs, stored.promise);
    if (insertions === LATE) throw new StoreError('database', 'the store did not answer in time');
    return insertions;
  }

  private async commitWaiting(): Promise<void> {
    if (this.committing) return;
    this.committing = true;
    while (this.waiting.length > 0) {
      await nextTurn(); // requests that have already arrived join
      await this.commit(this.takeBatch());
    }
    this.committing = false;
  }

  private takeBatch(): Waiting[] {
    let count = 0;
    const end = this.waiting.findIndex(({ events }) => (count += events.length) > EVENTS_PER_COMMIT);
    return this.waiting.splice(0, end < 0 ? this.waiting.length : Math.max(1, end));
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    const events = batch.flatMap((one) => one.events);
    try {
      const { insertions, news } = await this.database.transaction((tx) =>
        insertEvents(tx, events, this.sinks, true),
      );
      let start = 0;
      for (const { events: own, stored } of batch) {
        stored.resolve(insertions.slice(start, (start += own.length)));
      }
      this.notices.announce(news);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof StoreError)) {
        for (const one of batch) await this.commit([one]);
        return;
      }
      for (const { stored } of batch) stored.reject(error);
    }
    for (const { bytes } of batch) this.bytes -= bytes;
  }
}
