import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../concurrency/cache-bounds.js';
import type { AuditRecord } from './audit-record.js';
import { MinuteRecords } from './minute-records.js';

const MINUTE_MS = 60_000;
const STRANGERS_RECORDS = 60;
const USER_RECORDS = 300;
const USERS_MAX = 10_000;

/**
 * Keeps callers who are refused often from filling the audit trail (docs/ops.md, Audit trail). In a minute the first
 * 300 refusals of a user are recorded one by one, and the first 60 requests of all callers without a valid user
 * together; the others are counted. Remembers 10,000 users a minute; for one more, the user who was refused longest ago
 * begins anew.
 */
export class FrequentRecords {
  private minute = -Infinity;
  private strangers = new MinuteRecords(STRANGERS_RECORDS);
  private readonly users: LRUCache<string, MinuteRecords>;

  constructor(usersMax = USERS_MAX) {
    this.users = new LRUCache(cacheBounds(usersMax));
  }

  /**
   * The records to write now: the aggregates of a minute that is over, then the record itself unless it is only
   * counted.
   */
  add(record: AuditRecord): readonly AuditRecord[] {
    const due = [...this.end(record.time), ...this.makeRoom(record)];
    return this.recordsOf(record).keeps(record) ? [...due, record] : due;
  }

  /** True if there are aggregates that are not written yet. */
  get isPending(): boolean {
    return this.all().some((one) => one.isPending);
  }

  /** Removes and returns the aggregates of minutes before that of `time`; all of them without a time. */
  end(time = Infinity): readonly AuditRecord[] {
    const minute = Math.floor(time / MINUTE_MS);
    if (minute <= this.minute) return [];
    const records = this.all().flatMap((one) => one.toRecords());
    this.strangers = new MinuteRecords(STRANGERS_RECORDS);
    this.users.clear();
    if (time !== Infinity) this.minute = minute;
    return records;
  }

  /** Removes and returns the aggregates of these users. */
  endOf(users: readonly string[]): readonly AuditRecord[] {
    return users.flatMap((user) => {
      const records = this.users.get(user)?.toRecords() ?? [];
      this.users.delete(user);
      return records;
    });
  }

  private all(): readonly MinuteRecords[] {
    return [this.strangers, ...this.users.values()];
  }

  private recordsOf({ user }: AuditRecord): MinuteRecords {
    if (user === undefined) return this.strangers;
    const known = this.users.get(user);
    if (known) return known;
    const records = new MinuteRecords(USER_RECORDS);
    this.users.set(user, records);
    return records;
  }

  /** The aggregates of the user whose place a further one takes. */
  private makeRoom({ user }: AuditRecord): readonly AuditRecord[] {
    const isFull = this.users.size === this.users.maxSize;
    if (user === undefined || !isFull || this.users.has(user)) return [];
    return this.users.pop()!.toRecords();
  }
}
