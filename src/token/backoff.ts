const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** The pause after failures: full jitter, doubling from 250 ms to 30 s, or a longer time that the other side named. */
export class Backoff {
  private failures = 0;
  private until = 0;

  /** @param now milliseconds of a clock that is never set */
  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** Whole milliseconds until the next attempt is allowed; 0 when it is. */
  get waitMs(): number {
    return Math.max(0, this.until - this.now());
  }

  /** True if the last attempt failed. */
  get failing(): boolean {
    return this.failures > 0;
  }

  /** @param atLeastMs what the other side asked for, or a fixed pause */
  fail(atLeastMs = 0): void {
    const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    this.until = this.now() + Math.max(atLeastMs, Math.round(ceiling * this.random()));
  }

  succeed(): void {
    this.failures = 0;
    this.until = 0;
  }
}
