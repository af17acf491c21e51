/** Something that happens at a time of the playground. */
interface Task {
  readonly atMs: number;
  readonly run: () => void;
}

/** The longest wait that node's timers know. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The time of the playground: the given clock, plus a skew that tests and the control route may set. What is scheduled
 * happens when that time comes, whether it passes or is moved there.
 */
export class PlaygroundClock {
  private skewMs = 0;
  /** While a task runs: the time it was due. */
  private taskMs: number | undefined;
  /** The earliest first. */
  private readonly tasks: Task[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly source: () => number) {}

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.taskMs ?? this.source() + this.skewMs;

  /** How far this time is ahead of (positive) or behind (negative) everyone else's, in milliseconds. */
  get skewedByMs(): number {
    return this.skewMs;
  }

  /**
   * Moves the playground's time ahead of (positive) or behind (negative) everyone else's. What becomes due happens
   * before this returns, in order, each task at its own time.
   */
  skew(ms: number): void {
    this.skewMs = ms;
    this.runDue();
  }

  /** Moves the playground's time on by this much. */
  advance(ms: number): void {
    this.skew(this.skewMs + ms);
  }

  /** Runs something at a time, or as soon as possible if that has passed; never before this returns. */
  at(atMs: number, run: () => void): () => void {
    const task = { atMs, run };
    const later = this.tasks.findIndex((other) => other.atMs > atMs);
    this.tasks.splice(later === -1 ? this.tasks.length : later, 0, task);
    this.arm();
    return () => {
      const place = this.tasks.indexOf(task);
      if (place !== -1) this.tasks.splice(place, 1);
    };
  }

  /** Runs something after a wait in milliseconds of the playground's time. Returns what cancels it. */
  after(waitMs: number, run: () => void): () => void {
    return this.at(this.now() + waitMs, run);
  }

  /** Forgets everything that is scheduled. */
  close(): void {
    this.tasks.length = 0;
    clearTimeout(this.timer);
  }

  private runDue(): void {
    const untilMs = this.source() + this.skewMs;
    try {
      for (let task = this.tasks[0]; task !== undefined && task.atMs <= untilMs; task = this.tasks[0]) {
        this.tasks.shift();
        this.taskMs = task.atMs;
        task.run();
      }
    } finally {
      this.taskMs = undefined;
      this.arm();
    }
  }

  private arm(): void {
    clearTimeout(this.timer);
    const [next] = this.tasks;
    if (next === undefined) return;
    const waitMs = next.atMs - (this.source() + this.skewMs);
    this.timer = setTimeout(() => this.runDue(), Math.min(Math.max(waitMs, 1), TIMER_MS_MAX));
    this.timer.unref();
  }
}
