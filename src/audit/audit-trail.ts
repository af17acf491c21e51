import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Default } from '../config/default.js';
import { every, type Loop } from '../concurrency/every.js';
import { StoreError } from '../errors/store-error.js';
import type { Page } from '../storage/lists/page.js';
import type { AuditFilter, AuditRecord } from './audit-record.js';
import { AuditStore } from './audit-store.js';
import { FrequentRecords } from './frequent-records.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';

const QUEUE_MAX = 50_000;
const BATCH_MAX = 200;
const PAGE_ITEMS = 100;
const EXPORT_PAGE_ITEMS = 1_000;
const FLUSH_DELAY_MS = 200;
const RETRY_DELAY_MS = 2_000;
const ERASED_USERS_MAX = 10_000;
const TEN_MINUTES_MS = 600_000;

/**
 * The record of who asked for what. Writing is off the request path: records wait in a bounded queue in memory and go to
 * the database in batches: a whole one at once, a part of one after a fifth of a second, and all of them two seconds after
 * a failure. A record that cannot be kept is counted in `bff_audit_dropped_total`. A process that is killed loses the
 * records of the last fifth of a second and the counts of refusals of the last minute; a clean stop loses nothing.
 */
@Injectable()
export class AuditTrail implements OnApplicationShutdown {
  private readonly queue: AuditRecord[] = [];
  private readonly loop: Loop;
  /** Ends with the latest write. */
  private writing: Promise<void> = Promise.resolve();
  /** True if the latest write left records behind, because the database fails. */
  private hasFailed = false;
  private overflowing = false;
  private closed = false;
  private readonly frequent = new FrequentRecords();
  /** When pseudonyms were last erased, epoch milliseconds. */
  private readonly erasures = new LRUCache<string, number>({ max: ERASED_USERS_MAX });
  private readonly dropped;
  private readonly droppedLately = new RollingCounts(TEN_MINUTES_MS);

  constructor(
    private readonly store: AuditStore,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    conditions: Conditions,
    @Default() private readonly queueMax = QUEUE_MAX,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.loop = every(
      () => (this.hasFailed ? RETRY_DELAY_MS : FLUSH_DELAY_MS),
      () => this.flush(),
      (error) => log.error({ err: error }, 'audit records cannot be written'),
    );
    this.dropped = metrics.counter('bff_audit_dropped_total', 'Audit records that were lost.', []);
    metrics.gauge('bff_audit_queue_records', 'Audit records that wait to be written.', [], (gauge) =>
      gauge.set(this.queue.length),
    );
    conditions.figure('audit-dropped', () => (this.droppedLately.read().bad > 0 ? 'see the log' : undefined));
  }

  /** Keeps a record, unless the trail is closed. */
  record(record: AuditRecord): void {
    if (this.closed) return this.drop([record], 'audit records are lost: they came after the end');
    if (this.queue.length >= this.queueMax) {
      // logged once until there is room again: a line for each would be a second flood
      this.drop([record], this.overflowing ? undefined : 'the audit queue is full: records are being lost');
      this.overflowing = true;
      return;
    }
    this.queue.push(record);
    if (this.queue.length === BATCH_MAX && !this.hasFailed) setImmediate(() => this.loop.wake());
  }

  /** The same for a request that was refused or has no valid user: when there are many, their number ({@link FrequentRecords}). */
  recordRefusal(record: AuditRecord): void {
    if (this.closed) return this.record(record);
    for (const one of this.frequent.add(record)) this.record(one);
  }

  /** Writes what is queued by now; resolves once it is in the database, or back in the queue if the database is down. */
  async flush(): Promise<void> {
    await (this.writing = this.writing.then(() => this.write()));
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
    for (const user of users) this.erasures.set(user, this.now());
    for (const one of this.frequent.endOf(users)) this.record(one);
    await this.flush();
    return this.store.unlink(users);
  }

  /** Writes what is left. If the database is down, the rest is lost and counted. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    for (const one of this.frequent.end()) this.record(one);
    do await this.flush();
    while (this.queue.length > 0 && !this.hasFailed);
    this.closed = true;
    await this.writing; // a reader may have begun one more
    if (this.queue.length > 0) this.drop(this.queue.splice(0), 'audit records are lost');
  }

  /**
   * One batch in each turn of the event loop: requests do not wait until all of them are made into statements. The
   * aggregates of minutes that are over are among them.
   */
  private async write(): Promise<void> {
    for (const one of this.closed ? [] : this.frequent.end(this.now())) this.record(one);
    for (let left = this.queue.length; left > 0;) {
      const batch = this.queue.slice(0, Math.min(left, BATCH_MAX));
      if (!(await this.keep(batch))) return;
      this.queue.splice(0, batch.length);
      this.overflowing = false;
      left -= batch.length;
      if (left > 0) await nextTurn();
    }
    if (this.queue.length >= BATCH_MAX) this.loop.wake();
  }

  /** @returns false where the database fails and the batch has to wait; one that it refuses for good is lost */
  private async keep(batch: readonly AuditRecord[]): Promise<boolean> {
    try {
      const records = batch.map((record) => this.withoutErased(record));
      await this.store.insert(records, this.hasFailed);
      this.hasFailed = false;
      return true;
    } catch (error) {
      const isDown = error instanceof StoreError;
      if (!isDown) this.drop(batch, 'the database refuses audit records', error);
      this.hasFailed = isDown;
      return !isDown;
    }
  }

  /** What began before its user was erased, and is written now, does not bring the pseudonym back. */
  private withoutErased(record: AuditRecord): AuditRecord {
    const { user, time, ms = 0 } = record;
    const erasedAt = user === undefined ? undefined : this.erasures.get(user);
    if (erasedAt === undefined || time - ms > erasedAt + 1) return record;
    return { ...record, user: undefined, sessionId: undefined };
  }

  private drop(lost: readonly AuditRecord[], why?: string, error?: unknown): void {
    const records = lost.reduce((sum, { count = 1 }) => sum + count, 0);
    this.dropped.inc({}, records);
    this.droppedLately.add(true);
    if (why !== undefined) this.log.error({ err: error, records }, why);
  }
}
