import type { Condition } from './health.js';

const CALLS = 10;
const FAILED_SHARE = 0.5;
const MEMORY_MS = 5 * 60_000;

/** What it takes to call a dependency degraded. */
export interface CallJudgement {
  /** Failed calls among the last ten. */
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
 * its own. It is degraded when at least half of them failed, and never down: this replica can work without it.
 */
export class RecentCalls {
  private calls: Call[] = [];
  private readonly memoryMs: number;

  constructor(
    private readonly judgement: CallJudgement,
    private readonly now: () => number = Date.now,
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

  /** Whether no call says anything about the dependency now. */
  get isIdle(): boolean {
    return this.recent().length === 0;
  }

  /** For the health check. */
  condition(): Condition {
    const calls = this.recent();
    if (calls.length === 0) {
      return { state: 'up', reason: `not called in the last ${minutes(this.memoryMs)}` };
    }
    const faults = calls.flatMap(({ fault }) => fault ?? []);
    const isFailing =
      faults.length >= this.judgement.failuresMin && faults.length >= calls.length * FAILED_SHARE;
    if (!isFailing) return { state: 'up' };
    const counts =
      calls.length === 1 ? 'the last call' : `${faults.length} of the last ${calls.length} calls`;
    return { state: 'degraded', reason: `${counts} failed: ${faults.at(-1)}` };
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

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} minutes`;
}
