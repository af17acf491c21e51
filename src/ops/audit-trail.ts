import type { Database } from '../storage/database.js';
import type { AuditFilter, AuditRecord, Page } from './audit-record.js';
import { AuditStore } from './audit-store.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';

const QUEUE_MAX = 50_000;
const BATCH_MAX = 200;
const PAGE_ITEMS = 100;
const EXPORT_PAGE_ITEMS = 1_000;
const FLUSH_DELAY_MS = 200;
const RETRY_DELAY_MS = 2_000;

/**
 * The record of who asked for what. Writing is off the request path: records queue in memory, bounded, and go to the
 * database in batches. A record that cannot be kept is counted in `bff_audit_dropped_total`. A process that is killed
 * loses what queued in the last fifth of a second; one that is told to stop loses nothing.
 */
export class AuditTrail {
  private queue: AuditRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private overflowing = false;
  private readonly store: AuditStore;
  private readonly dropped;

  constructor(
    database: Database,
    private readonly log: Log,
    metrics: Metrics,
    private readonly queueMax = QUEUE_MAX,
  ) {
    this.store = new AuditStore(database);
    this.dropped = metrics.counter('bff_audit_dropped_total', 'Audit records that could not be kept.', []);
    metrics.gauge('bff_audit_queue_records', 'Audit records that wait to be written.', [], (gauge) =>
      gauge.set(this.queue.length),
    );
  }

  record(record: AuditRecord): void {
    if (this.queue.length >= this.queueMax) {
      this.overflow();
      return;
    }
    this.queue.push(record);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS);
  }

  /** Writes all that is queued; resolves when it is in the database or, the database being down, is put back. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    await this.writing;
  }

  async list(filter: AuditFilter): Promise<Page<AuditRecord>> {
    await this.flush();
    return this.store.list(filter, PAGE_ITEMS);
  }

  /** Every record that fits, latest first, read as the consumer takes them. */
  async *export(filter: AuditFilter): AsyncGenerator<AuditRecord> {
    await this.flush();
    let after = filter.after;
    do {
      const { items, next } = await this.store.list({ ...filter, after }, EXPORT_PAGE_ITEMS);
      yield* items;
      after = next === null ? undefined : Number(next);
    } while (after !== undefined);
  }

  /** Removes records from before `time`; gives their number. */
  purge(time: number): Promise<number> {
    return this.store.purge(time);
  }

  /** Writes what is left. What a database that is down does not take is lost, and counted. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    if (this.queue.length > 0) this.drop(this.queue.length);
    this.queue = [];
  }

  private async write(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue.slice(0, BATCH_MAX);
      if (!(await this.keep(batch))) {
        this.timer ??= setTimeout(() => void this.flush(), RETRY_DELAY_MS);
        return;
      }
      this.queue = this.queue.slice(batch.length);
      this.overflowing = false;
    }
  }

  /** False when the database is down and the batch must wait. */
  private async keep(batch: readonly AuditRecord[]): Promise<boolean> {
    try {
      await this.store.insert(batch);
      return true;
    } catch (err) {
      this.log.error({ err, waiting: this.queue.length }, 'audit records cannot be written');
      if (!(await this.store.answers())) return false;
      for (const record of batch) await this.store.insert([record]).catch(() => this.drop(1));
      return true;
    }
  }

  /** Logged once until there is room again: a line for each lost record would be a second flood. */
  private overflow(): void {
    this.dropped.inc({});
    if (!this.overflowing) this.log.error('the audit queue is full: records are being lost');
    this.overflowing = true;
  }

  private drop(records: number): void {
    this.dropped.inc({}, records);
    this.log.error({ records }, 'audit records are lost');
  }
}
