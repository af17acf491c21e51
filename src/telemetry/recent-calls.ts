import type { Condition } from './health.js';

const CALLS = 10;
const FAILED_SHARE = 0.5;
const MEMORY_MS = 5 * 60_000;
/** Failures from before a success say something for this share of the memory: a minute of five. */
const FLAPPING_SHARE = 0.2;

/** The conditions for calling a dependency degraded. */
export interface CallJudgement {
  /** Failed calls among the last ten. With 1, the last call alone decides. */
  readonly failuresMin: number;
  /** How long a call says anything, in milliseconds; five minutes by default. */
  readonly memoryMs?: number;
}

interface Call {
  readonly at: number;
  /** Why it failed; undefined when it succeeded. */
  readonly fault: string | undefined;
}

/**
 * The state of a dependency, judged by the last ten calls that were made to it anyway: a health check makes no call of
 * its own. It is degraded while at least half of them fail, and never down: this replica can work without it. The first
 * success ends an outage. Only if failures go on after a success do those before it still count, for a minute.
 */
export class RecentCalls {
  private calls: Call[] = [];
  private readonly memoryMs: number;

  constructor(
    private readonly judgement: CallJudgement,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.memoryMs = judgement.memoryMs ?? MEMORY_MS;
  }

  succeed(): void {
    this.add(undefined);
  }

  /** @param fault why, in our own words */
  fail(fault: string): void {
    this.add(fault);
  }

  /** True if no call says anything about the dependency now. */
  get isIdle(): boolean {
    return this.recent().length === 0;
  }

  /** For the health check. */
  condition(): Condition {
    if (this.isIdle) return { state: 'up', reason: `not called in the last ${minutes(this.memoryMs)}` };
    const calls = this.counted();
    const faults = calls.flatMap(({ fault }) => fault ?? []);
    if (!this.isFailing(calls, faults.length)) return { state: 'up' };
    const counts =
      calls.length === 1 ? 'the last call' : `${faults.length} of the last ${calls.length} calls`;
    return { state: 'degraded', reason: `${counts} failed: ${faults.at(-1)}` };
  }

  private isFailing(calls: readonly Call[], failures: number): boolean {
    const { failuresMin } = this.judgement;
    const hasSucceeded = calls.at(-1)?.fault === undefined;
    if (failuresMin === 1) return !hasSucceeded;
    if (hasSucceeded && !isFlapping(calls)) return false;
    return failures >= failuresMin && failures >= calls.length * FAILED_SHARE;
  }

  /** The calls since the last success, and of those before it the latest. */
  private counted(): readonly Call[] {
    const calls = this.recent();
    const success = calls.findLastIndex(({ fault }) => fault === undefined);
    const from = this.now() - this.memoryMs * FLAPPING_SHARE;
    return calls.filter(({ at }, index) => index > success || at >= from);
  }

  private recent(): readonly Call[] {
    const from = this.now() - this.memoryMs;
    return this.calls.filter(({ at }) => at >= from);
  }

  private add(fault: string | undefined): void {
    this.calls.push({ at: this.now(), fault });
    if (this.calls.length > CALLS) this.calls.shift();
  }
}

/** True if a success stands between two failures. */
function isFlapping(calls: readonly Call[]): boolean {
  const first = calls.findIndex(({ fault }) => fault !== undefined);
  const last = calls.findLastIndex(({ fault }) => fault !== undefined);
  return calls.slice(first, last).some(({ fault }) => fault === undefined);
}

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} minutes`;
}
