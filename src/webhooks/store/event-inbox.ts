import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../storage/database.js';
import type { EventNotices } from './event-notices.js';
import { bringsNews, insertEvents, type Insertion, type InsertPolicy } from './insert-events.js';
import type { ReceivedEvent } from './webhook-event.js';

const WAITING_MAX = 2_000;
const EVENTS_PER_COMMIT = 500;
const PUT_TIMEOUT_MS = 5_000; // the upstream waits 10 s for its answer

interface Waiting {
  readonly events: readonly ReceivedEvent[];
  readonly settle: (outcome: readonly Insertion[] | Error) => void;
}

/**
 * Where events become durable. Requests that arrive while a commit is under way share the next one, so that the disk
 * is waited for once for all of them; each request's events are in one transaction.
 */
export class EventInbox {
  private readonly waiting: Waiting[] = [];
  private committing = false;

  constructor(
    private readonly database: Database,
    private readonly policy: InsertPolicy,
    private readonly notices: EventNotices,
    private readonly now: () => number = Date.now,
    private readonly putTimeoutMs = PUT_TIMEOUT_MS,
  ) {}

  /**
   * Stores events that are not known yet. They are on disk when the promise resolves.
   * @throws Error when they are not known to be: the store is down, too slow or has too much to do
   */
  put(events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length >= WAITING_MAX) {
        reject(new Error('too many webhooks wait for the store'));
        return;
      }
      const settle = (outcome: readonly Insertion[] | Error): void => {
        clearTimeout(timer);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const timer = setTimeout(settle, this.putTimeoutMs, new Error('the store did not answer in time'));
      this.waiting.push({ events, settle });
      void this.commitWaiting();
    });
  }

  private async commitWaiting(): Promise<void> {
    if (this.committing) return;
    this.committing = true;
    while (this.waiting.length > 0) {
      await nextTurn(); // lets the requests that are here already join
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
      const insertions = await this.database.transaction((tx) =>
        insertEvents(tx, this.database.dialect, events, this.policy, this.now()),
      );
      let start = 0;
      for (const { events: own, settle } of batch) settle(insertions.slice(start, (start += own.length)));
      this.notices.announce(events.filter((_, index) => bringsNews(insertions[index]!)));
    } catch (error) {
      for (const { settle } of batch) settle(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
