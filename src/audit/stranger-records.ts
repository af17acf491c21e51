import type { AuditRecord, Tally } from './audit-record.js';

const MINUTE_MS = 60_000;
const RECORDS_PER_MINUTE = 60;
const TALLIES_MAX = 10;
const TALLY_CHARACTERS_MAX = 200;
const OTHER = 'other';

/** Actions that anyone may ask for, with or without a valid token. */
const PUBLIC_ACTIONS: ReadonlySet<string> = new Set(['token', 'graphql', 'attachment', 'attachment-link']);

/** Records of one minute, action and outcome, counted. */
interface Aggregate {
  readonly first: AuditRecord;
  last: number;
  count: number;
  readonly reasons: Map<string, number>;
  readonly addresses: Map<string, number>;
}

/**
 * Keeps requests without a valid user from filling the audit trail: the first 60 in a minute are recorded one by one, the
 * others counted by action and outcome (docs/ops.md, Audit trail). Holds at most one aggregate for each action and outcome,
 * with ten reasons and ten addresses; further ones are counted as `other`.
 */
export class StrangerRecords {
  private minute = -Infinity;
  private recorded = 0;
  private readonly aggregates = new Map<string, Aggregate>();

  /** Whether a record is of a request without a valid user. */
  static concerns({ user, action }: AuditRecord): boolean {
    return user === undefined && PUBLIC_ACTIONS.has(action);
  }

  /** What to write now: the aggregates of a minute that is over, then the record itself unless it is only counted. */
  add(record: AuditRecord): readonly AuditRecord[] {
    const over = this.end(record.time);
    this.recorded += 1;
    if (this.recorded <= RECORDS_PER_MINUTE) return [...over, record];
    this.count(record);
    return over;
  }

  /** Aggregates that are not written yet. */
  get size(): number {
    return this.aggregates.size;
  }

  /** Removes and returns the aggregates of minutes before that of `time`; all of them without a time. */
  end(time = Infinity): readonly AuditRecord[] {
    const minute = Math.floor(time / MINUTE_MS);
    if (minute <= this.minute) return [];
    const records = [...this.aggregates.values()].map(toRecord);
    this.aggregates.clear();
    if (time !== Infinity) [this.minute, this.recorded] = [minute, 0];
    return records;
  }

  private count(record: AuditRecord): void {
    const key = `${record.action} ${record.outcome}`;
    const aggregate = this.aggregates.get(key) ?? newAggregate(record);
    this.aggregates.set(key, aggregate);
    aggregate.count += 1;
    aggregate.last = Math.max(aggregate.last, record.time);
    tally(aggregate.reasons, record.reason);
    tally(aggregate.addresses, record.address);
  }
}

function newAggregate(first: AuditRecord): Aggregate {
  return { first, last: first.time, count: 0, reasons: new Map(), addresses: new Map() };
}

function tally(counts: Map<string, number>, text: string | undefined): void {
  if (text === undefined) return;
  const value = text.slice(0, TALLY_CHARACTERS_MAX);
  const name = counts.has(value) || counts.size < TALLIES_MAX ? value : OTHER;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toRecord({ first, last, count, reasons, addresses }: Aggregate): AuditRecord {
  const { time, requestId, action, outcome, source } = first;
  const ranked = toTallies(reasons);
  return {
    time,
    requestId,
    action,
    outcome,
    source,
    reason: ranked[0]?.value,
    count,
    firstAt: time,
    lastAt: last,
    reasons: ranked,
    addresses: toTallies(addresses),
  };
}

function toTallies(counts: ReadonlyMap<string, number>): readonly Tally[] {
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
