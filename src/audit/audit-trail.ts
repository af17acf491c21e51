import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Default } from '../config/default.js';
import { every, type Loop } from '../concurrency/every.js';
import { LatestNotes } from '../concurrency/latest-notes.js';
import { StoreError } from '../errors/store-error.js';
import { Database } from '../storage/database.js';
import type { Page } from '../storage/lists/page.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';
import { AuditStore } from './audit-store.js';
import { FrequentRecords } from './frequent-records.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';

const QUEUE_MAX = 50_000;
const BATCH_MAX = 200;
const PAGE_ITEMS = 100;
const EXPORT_PAGE_ITEMS = 1_000;
const FLUSH_DELAY_MS = 200;
const RETRY_DELAY_MS = 2_000;
const MINUTE_MS = 60_000;
const ERASED_USERS_MAX = 10_000;
const TEN_MINUTES_MS = 600_000;

/**
 * The record of who asked for what. Writing is off the request path: records wait in a bounded queue in memory and go to
 * the database in batches. A record that cannot be kept is counted in `bff_audit_dropped_total`. A process that is killed
 * loses the records of the last fifth of a second and the counts of refusals of the last minute; a clean stop loses
 * nothing.
 */
@Injectable()
export class AuditTrail implements OnApplicationShutdown {
  private queue: AuditRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Ends with the latest write. */
  private writing: Promise<void> = Promise.resolve();
  /** While a write is about to begin or under way. */
  private isWriting = false;
  /** True if the latest write left records behind, because the database fails. */
  private hasFailed = false;
  private overflowing = false;
  private closed = false;
  private readonly frequent = new FrequentRecords();
  /** When pseudonyms were last erased, epoch milliseconds. */
  private readonly erasures = new LatestNotes<number>(ERASED_USERS_MAX);
  /** Writes the aggregates when their minute ends, even if no further request comes. */
  private readonly minutes: Loop;
  private readonly store: AuditStore;
  private readonly dropped;
  private readonly droppedLately = new RollingCounts(TEN_MINUTES_MS);

  constructor(
    database: Database,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    @Default() private readonly queueMax = QUEUE_MAX,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.store = new AuditStore(database);
    this.minutes = every(
      () => MINUTE_MS - (this.now() % MINUTE_MS),
      () => this.endMinutes(this.now()),
      (error) => log.error({ err: error }, 'counts of refusals cannot be written'),
    );
    this.dropped = metrics.counter('bff_audit_dropped_total', 'Audit records that were lost.', []);
    metrics.gauge('bff_audit_queue_records', 'Audit records that wait to be written.', [], (gauge) =>
      gauge.set(this.queue.length),
    );
  }

  /** True if records were lost in the last ten minutes. */
  get hasDroppedLately(): boolean {
    return this.droppedLately.read().bad > 0;
  }

  /** Keeps a record, unless the trail is closed. */
  record(record: AuditRecord): void {
    this.enqueue(record);
  }

  /** The same for a request that was refused or has no valid user: when there are many, their number ({@link FrequentRecords}). */
  recordRefusal(record: AuditRecord): void {
    if (this.closed) return this.enqueue(record);
    for (const one of this.frequent.add(record)) this.enqueue(one);
  }

  /** Writes the aggregates of minutes before that of `time`. */
  private endMinutes(time?: number): void {
    for (const one of this.frequent.end(time)) this.enqueue(one);
  }

  /** What began before its user was erased, and is written now, does not bring the pseudonym back. */
  private withoutErased(record: AuditRecord): AuditRecord {
    const { user, time, ms = 0 } = record;
    const erasedAt = user === undefined ? undefined : this.erasures.last(user);
    if (erasedAt === undefined || time - ms > erasedAt + 1) return record;
    return { ...record, user: undefined, sessionId: undefined };
  }

  private enqueue(record: AuditRecord): void {
    if (this.closed) {
      this.drop([record]);
      return;
    }
    if (this.queue.length >= this.queueMax) {
      this.overflow(record);
      return;
    }
    this.queue.push(record);
    this.schedule();
  }

  /**
   * Has the queue written: a whole batch at once, a part of one after a fifth of a second, and all of it two seconds
   * after a failure. A write that is under way does so when it ends. A record that waits for a timer outlives two
   * collections of the young generation, which makes full ones frequent (ADR 0004).
   */
  private schedule(): void {
    if (this.isWriting) return;
    if (this.queue.length >= BATCH_MAX && !this.hasFailed) {
      this.isWriting = true;
      setImmediate(() => void this.flush());
      return;
    }
    const delayMs = this.hasFailed ? RETRY_DELAY_MS : FLUSH_DELAY_MS;
    this.timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Writes what is queued by now; resolves once it is in the database, or back in the queue if the database is down. */
  async flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    await this.writing;
  }

  async list(filter: AuditFilter): Promise<Page<AuditRecord>> {
    await this.flush();
    return this.store.list(filter, PAGE_ITEMS);
  }

  /** Every matching record, latest first, read page by page as the consumer takes them. */
  async *export(filter: AuditFilter): AsyncGenerator<AuditRecord> {
    await this.flush();
    let after = filter.after;
    do {
      const { items, next } = await this.store.list({ ...filter, after }, EXPORT_PAGE_ITEMS);
      yield* items;
      after = next ?? undefined;
    } while (after !== undefined);
  }

  /**
   * Takes these pseudonyms out of every record, what waits to be written and requests under way included; the records
   * stay.
   * @returns how many records held one
   */
  async unlink(users: readonly string[]): Promise<number> {
    for (const user of users) this.erasures.note(user, this.now());
    for (const one of this.frequent.endOf(users)) this.enqueue(one);
    await this.flush();
    return this.store.unlink(users);
  }

  /** Removes records from before `time` and returns their number. */
  purge(time: number): Promise<number> {
    return this.store.purge(time);
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Writes what is left. If the database is down, the rest is lost and counted. */
  async close(): Promise<void> {
    await this.minutes.stop();
    this.endMinutes();
    do await this.flush();
    while (this.queue.length > 0 && !this.hasFailed);
    this.closed = true;
    await this.writing; // a reader may have begun one more
    clearTimeout(this.timer);
    if (this.queue.length > 0) this.drop(this.queue);
    this.queue = [];
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.hasFailed = !(await this.writeQueued());
    this.isWriting = false;
    if (this.queue.length > 0 && !this.closed) this.schedule();
  }

  /**
   * One batch in each turn of the event loop: requests do not wait until all of them are made into statements.
   * @returns false when the database fails, and the rest has to wait
   */
  private async writeQueued(): Promise<boolean> {
    for (let left = this.queue.length; left > 0;) {
      const batch = this.queue.slice(0, Math.min(left, BATCH_MAX));
      if (!(await this.keep(batch))) return false;
      this.queue = this.queue.slice(batch.length);
      this.overflowing = false;
      left -= batch.length;
      if (left > 0) await nextTurn();
    }
    return true;
  }

  /** @returns false where the database fails and the batch has to wait; one that it refuses for good is lost */
  private async keep(batch: readonly AuditRecord[]): Promise<boolean> {
    try {
      const records = batch.map((record) => this.withoutErased(record));
      await this.store.insert(records, this.hasFailed);
    } catch (error) {
      this.log.error({ err: error, waiting: this.queue.length }, 'audit records cannot be written');
      if (error instanceof StoreError) return false;
      this.drop(batch);
    }
    return true;
  }

  /** Logged once until there is room again: a line for each lost record would be a second flood. */
  private overflow({ count = 1 }: AuditRecord): void {
    this.dropped.inc({}, count);
    this.droppedLately.add(true);
    if (!this.overflowing) this.log.error('the audit queue is full: records are being lost');
    this.overflowing = true;
  }

  private drop(lost: readonly AuditRecord[]): void {
    const records = lost.reduce((sum, { count = 1 }) => sum + count, 0);
    this.dropped.inc({}, records);
    this.droppedLately.add(true);
    this.log.error({ records }, 'audit records are lost');
  }
}
