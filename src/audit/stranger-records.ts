import type { AuditRecord, Tally } from './audit-record.js';

const MINUTE_MS = 60_000;
const RECORDS_PER_MINUTE = 60;
const TALLIES_MAX = 10;
const TALLY_CHARACTERS_MAX = 200;
const OTHER = 'other';

/** Actions that anyone may ask for, known or not. */
const PUBLIC_ACTIONS: ReadonlySet<string> = new Set(['token', 'graphql', 'attachment']);

/** Records of one minute, action and outcome, counted. */
interface Aggregate {
  readonly first: AuditRecord;
  last: number;
  count: number;
  readonly reasons: Map<string, number>;
  readonly addresses: Map<string, number>;
}

/**
 * Keeps those who are not known from filling the audit trail: the first 60 of their requests in a minute are recorded
 * one by one, the others counted, by action and outcome (contract, Ops routes). Holds at most one aggregate for each of
 * those, with ten reasons and ten addresses; whatever is beyond them is counted as `other`.
 */
export class StrangerRecords {
  private minute = -Infinity;
  private recorded = 0;
  private readonly aggregates = new Map<string, Aggregate>();

  /** Whether a record is of a request without a valid user. */
  static concerns({ user, action }: AuditRecord): boolean {
    return user === undefined && PUBLIC_ACTIONS.has(action);
  }

  /** What is to be written now: the record itself, or nothing; before it, what was counted in a minute that is over. */
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

  /** What was counted until the minute before `time`; everything, when no time is given. */
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
  return {
    time,
    requestId,
    action,
    outcome,
    source,
    count,
    firstAt: time,
    lastAt: last,
    reasons: toTallies(reasons),
    addresses: toTallies(addresses),
  };
}

function toTallies(counts: ReadonlyMap<string, number>): readonly Tally[] {
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
