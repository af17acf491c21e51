import type { AuditRecord } from './audit-record.js';

const MINUTE_MS = 60_000;
const STRANGERS_RECORDS = 60;
const USER_RECORDS = 300;
const USERS_MAX = 10_000;

/**
 * Keeps callers who are refused often from filling the audit trail (docs/ops.md, Audit trail). In a minute the first
 * 300 refusals of a user are recorded one by one, and the first 60 requests of all callers without a valid user
 * together; the others are counted. At 10,000 users counting begins anew within the minute.
 */
export class FrequentRecords {
  private minute = -Infinity;
  /** By user; of those without one together. */
  private readonly callers = new Map<string | undefined, MinuteRecords>();

  constructor(private readonly usersMax = USERS_MAX) {}

  /**
   * The records to write now: the aggregates of a minute that is over, then the record itself unless it is only
   * counted.
   */
  add(record: AuditRecord): readonly AuditRecord[] {
    const { user, time } = record;
    const due = this.callers.size < this.usersMax ? this.end(time) : this.end();
    const records =
      this.callers.get(user) ?? new MinuteRecords(user === undefined ? STRANGERS_RECORDS : USER_RECORDS);
    this.callers.set(user, records);
    return records.keeps(record) ? [...due, record] : due;
  }

  /**
   * Removes and returns the aggregates of minutes before that of `time`, and of minutes that are yet to come where the
   * clock was set back; all of them without a time.
   */
  end(time = Infinity): readonly AuditRecord[] {
    const minute = Math.floor(time / MINUTE_MS);
    if (minute === this.minute) return [];
    const ended = this.endOf([...this.callers.keys()]);
    if (time !== Infinity) this.minute = minute;
    return ended;
  }

  /** Removes and returns the aggregates of these users. */
  endOf(users: readonly (string | undefined)[]): readonly AuditRecord[] {
    const ended = users.flatMap((user) => this.callers.get(user) ?? []);
    for (const user of users) this.callers.delete(user);
    return ended.flatMap(({ aggregates }) => [...aggregates.values()]);
  }
}

/** The records of one caller in one minute: the first are kept one by one, the others counted by action and outcome. */
class MinuteRecords {
  /** By action and outcome. */
  readonly aggregates = new Map<string, AuditRecord>();
  private kept = 0;

  constructor(private readonly keptMax: number) {}

  /** Returns true when the record is to be kept; counts it otherwise. */
  keeps(record: AuditRecord): boolean {
    this.kept += 1;
    if (this.kept <= this.keptMax) return true;
    const key = `${record.action} ${record.outcome}`;
    this.aggregates.set(key, joined(this.aggregates.get(key), record));
    return false;
  }
}

/** One record for all of them, with the members that they share. */
function joined(aggregate: AuditRecord | undefined, record: AuditRecord): AuditRecord {
  const { time, requestId, action, user, hirerId, outcome, source, reason, address } = record;
  const shared = { time, requestId, action, user, hirerId, outcome, source, reason, address };
  if (!aggregate) return { ...shared, count: 1, firstAt: time, lastAt: time };
  return {
    ...aggregate,
    hirerId: aggregate.hirerId === hirerId ? hirerId : undefined,
    reason: aggregate.reason === reason ? reason : undefined,
    address: aggregate.address === address ? address : undefined,
    count: aggregate.count! + 1,
    lastAt: Math.max(aggregate.lastAt!, time),
  };
}
