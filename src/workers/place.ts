const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that lived as long is no longer taken for one that fails again and again. */
const SETTLED_MS = 60_000;
/** A worker that leaves as many beats unanswered hangs. */
const UNANSWERED_MAX = 10;

/** One of the places for workers: its number stays, the process in it changes. Times are milliseconds. */
export class Place<Child> {
  child: Child | undefined;
  /** True while the worker takes connections. */
  serves = false;
  /** True once a worker of this place has served. */
  hasServed = false;
  private pauseMs = FIRST_PAUSE_MS;
  private startedAt = 0;
  private unanswered = 0;

  constructor(readonly number: number) {}

  /** True if the worker is taken for one that hangs. */
  get hangs(): boolean {
    return this.unanswered >= UNANSWERED_MAX;
  }

  /** A worker takes the place. */
  fill(child: Child, now: number): void {
    this.child = child;
    this.startedAt = now;
    this.hear();
  }

  /** The worker, if there is one, is asked for a sign of life. */
  beat(): void {
    if (this.child !== undefined) this.unanswered += 1;
  }

  /** The worker has given one. */
  hear(): void {
    this.unanswered = 0;
  }

  /**
   * The worker has ended.
   * @returns how long to wait before the next: twice as long each time that one ended soon, up to half a minute
   */
  empty(now: number): number {
    if (now - this.startedAt >= SETTLED_MS) this.pauseMs = FIRST_PAUSE_MS;
    const { pauseMs } = this;
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    this.child = undefined;
    this.serves = false;
    return pauseMs;
  }
}
