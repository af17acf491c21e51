import type { AuditRecord, Tally } from './audit-record.js';

const TALLIES_MAX = 10;
const TALLY_CHARACTERS_MAX = 255;
const OTHER = 'other';

/** Records of one action and outcome that are counted. */
interface Aggregate {
  readonly first: AuditRecord;
  last: number;
  count: number;
  readonly reasons: Counts;
  readonly addresses: Counts;
  readonly hirers: Counts;
}

type Counts = Map<string, number>;

/**
 * The records of one caller in one minute: the first are kept one by one, the others counted by action and outcome.
 * Holds at most one aggregate for each action and outcome, with ten reasons, addresses and hirers; further ones are
 * `other`.
 */
export class MinuteRecords {
  private kept = 0;
  private readonly aggregates = new Map<string, Aggregate>();

  constructor(private readonly keptMax: number) {}

  /** Returns true when the record is to be kept; counts it otherwise. */
  keeps(record: AuditRecord): boolean {
    if (this.kept < this.keptMax) {
      this.kept += 1;
      return true;
    }
    this.count(record);
    return false;
  }

  /** True if something was counted. */
  get isPending(): boolean {
    return this.aggregates.size > 0;
  }

  /** A record for each aggregate. */
  toRecords(): AuditRecord[] {
    return [...this.aggregates.values()].map(toRecord);
  }

  private count(record: AuditRecord): void {
    const key = `${record.action} ${record.outcome}`;
    const aggregate = this.aggregates.get(key) ?? newAggregate(record);
    this.aggregates.set(key, aggregate);
    aggregate.count += 1;
    aggregate.last = Math.max(aggregate.last, record.time);
    tally(aggregate.reasons, record.reason);
    tally(aggregate.addresses, record.address);
    tally(aggregate.hirers, record.hirerId);
  }
}

function newAggregate(first: AuditRecord): Aggregate {
  const tallies = { reasons: new Map(), addresses: new Map(), hirers: new Map() };
  return { first, last: first.time, count: 0, ...tallies };
}

function tally(counts: Counts, text: string | undefined): void {
  if (text === undefined) return;
  const value = text.slice(0, TALLY_CHARACTERS_MAX);
  const name = counts.has(value) || counts.size < TALLIES_MAX ? value : OTHER;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** One record for all of them: the members that they share, and the tallies of the rest. */
function toRecord({ first, last, count, reasons, addresses, hirers }: Aggregate): AuditRecord {
  const { time, requestId, action, user, hirerId = '', outcome, source } = first;
  return {
    time,
    requestId,
    action,
    user,
    hirerId: hirers.get(hirerId) === count ? hirerId : undefined,
    outcome,
    source,
    reason: toTallies(reasons)?.[0]?.value,
    count,
    firstAt: time,
    lastAt: last,
    reasons: toTallies(reasons),
    addresses: toTallies(addresses),
    hirers: toTallies(hirers),
  };
}

/** Most frequent first; undefined when there is nothing to count. */
function toTallies(counts: Counts): readonly Tally[] | undefined {
  if (counts.size === 0) return undefined;
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
