import { RollingCounts, steadyNow } from './rolling-counts.js';

const FAILURES_IN_A_ROW = 3;
const MINUTE_MS = 60_000;
const CALLS_MIN = 10;

/** To which the code reports that makes calls. */
export interface CallReports {
  succeeded(): void;
  /** @param why in our own words, without a full stop */
  failed(why: string): void;
  /** Why the calls fail; undefined while they do not. */
  readonly fault: string | undefined;
}

/**
 * Judges the calls to one target by those that are made anyway. They fail after three failures in a row, until the first
 * success, however quiet it is in between. They also fail where failures go on after a success, and most of at least ten
 * calls of the last minute failed, until fewer than half do.
 */
export class CallCondition implements CallReports {
  private readonly minute: RollingCounts;
  private inARow = 0;
  /** When a success last followed a failure. */
  private recoveredAt = -Infinity;
  private isMostlyFailing = false;
  private why = '';
  private wasActive = false;

  /** @param onChange called when the condition begins or ends */
  constructor(
    readonly target: string,
    private readonly onChange: () => void,
    private readonly now = steadyNow,
  ) {
    this.minute = new RollingCounts(MINUTE_MS, now);
  }

  succeeded(): void {
    this.minute.add(false);
    if (this.inARow === 0 && !this.wasActive) return;
    if (this.inARow > 0) this.recoveredAt = this.now();
    this.inARow = 0;
    this.judge();
  }

  failed(why: string): void {
    this.minute.add(true);
    this.inARow += 1;
    this.why = why;
    const isAfterSuccess = this.now() - this.recoveredAt < MINUTE_MS;
    if (isAfterSuccess && !this.isMostlyFailing) {
      const { all, bad } = this.minute.read();
      this.isMostlyFailing = all >= CALLS_MIN && bad * 2 > all;
    }
    this.judge();
  }

  get fault(): string | undefined {
    this.judge();
    return this.wasActive ? `${this.target}: ${this.why}` : undefined;
  }

  private judge(): void {
    if (this.isMostlyFailing) {
      const { all, bad } = this.minute.read();
      this.isMostlyFailing = bad * 2 >= all && all > 0;
    }
    const isActive = this.inARow >= FAILURES_IN_A_ROW || this.isMostlyFailing;
    if (isActive === this.wasActive) return;
    this.wasActive = isActive;
    this.onChange();
  }
}
