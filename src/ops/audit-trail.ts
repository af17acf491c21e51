import type { Database, SqlValue } from '../storage/database.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';

/** What is kept of one request or action. Never holds a token: `tokenHash` is the start of its SHA-256. */
export interface AuditRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly requestId: string;
  readonly sessionId?: string | undefined;
  /** What was asked: `token`, `graphql`, `attachment`, `membership.grant` … */
  readonly action: string;
  /** The user's pseudonym, as the upstream knows it. */
  readonly user?: string | undefined;
  readonly hirerId?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopesAsked?: readonly string[] | undefined;
  readonly scopesGranted?: readonly string[] | undefined;
  /** `issued`, `ok`, or the error code. */
  readonly outcome: string;
  /** Where the answer came from: `cache`, `upstream` or `none`. */
  readonly source?: string | undefined;
  readonly upstreamRequestId?: string | undefined;
  /** Names of the registered operations that were called. */
  readonly operations?: readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  readonly tokenHash?: string | undefined;
}

/** Which records to list; the latest first. */
export interface AuditFilter {
  readonly user?: string | undefined;
  readonly hirer?: string | undefined;
  readonly outcome?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  readonly until?: number | undefined;
  /** Cursor: only records before this one. */
  readonly after?: number | undefined;
}

/** A page of a list; `next` continues it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const QUEUE_MAX = 50_000;
const BATCH_MAX = 200;
const PAGE_ITEMS = 100;
const FLUSH_DELAY_MS = 200;

/**
 * The record of who asked for what. Writing is off the request path: records queue in memory, bounded, and go to the
 * database in batches. A record that cannot be kept is counted in `bff_audit_dropped_total`.
 */
export class AuditTrail {
  private queue: AuditRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly dropped;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter('bff_audit_dropped_total', 'Audit records that could not be kept.', []);
  }

  record(record: AuditRecord): void {
    if (this.queue.length >= QUEUE_MAX) {
      this.dropped.inc();
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
    const { sql, parameters } = selectRecords(filter);
    const rows = await this.database.query<{ sequence: number; record: string }>(sql, parameters);
    const items = rows.slice(0, PAGE_ITEMS);
    const last = items.at(-1);
    return {
      items: items.map(({ record }) => JSON.parse(record) as AuditRecord),
      next: last && rows.length > PAGE_ITEMS ? String(last.sequence) : null,
    };
  }

  /** Writes what is left. What a database that is down does not take is lost, and counted. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    this.dropped.inc(this.queue.length);
  }

  private async write(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue.slice(0, BATCH_MAX);
      try {
        await this.database.query(
          INSERT_INTO + batch.map(placeholders).join(', '),
          batch.flatMap(toParameters),
        );
      } catch (err) {
        this.log.error({ err, waiting: this.queue.length }, 'audit records cannot be written; trying again');
        this.timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS * 10);
        return;
      }
      this.queue = this.queue.slice(batch.length);
    }
  }
}

const INSERT_INTO = 'INSERT INTO audit (time, action, outcome, user_id, hirer_id, record) VALUES ';
const COLUMNS = 6;

function placeholders(_record: AuditRecord, index: number): string {
  return `(${Array.from({ length: COLUMNS }, (_, column) => `$${index * COLUMNS + column + 1}`).join(', ')})`;
}

function toParameters(record: AuditRecord): SqlValue[] {
  const { time, action, outcome, user, hirerId } = record;
  return [time, action, outcome, user ?? null, hirerId ?? null, JSON.stringify(record)];
}

function selectRecords(filter: AuditFilter): { sql: string; parameters: SqlValue[] } {
  const conditions = [
    ['user_id =', filter.user],
    ['hirer_id =', filter.hirer],
    ['outcome =', filter.outcome],
    ['time >=', filter.since],
    ['time <', filter.until],
    ['sequence <', filter.after],
  ].filter((condition): condition is [string, string | number] => condition[1] !== undefined);
  const where = conditions.map(([test], index) => `${test} $${index + 1}`).join(' AND ');
  const sql = `SELECT sequence, record FROM audit ${where && `WHERE ${where}`} ORDER BY sequence DESC LIMIT ${PAGE_ITEMS + 1}`;
  return { sql, parameters: conditions.map(([, value]) => value) };
}
