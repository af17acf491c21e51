import type { Background } from './background.js';

/** A task at a time of the playground. */
interface Task {
  readonly atMs: number;
  readonly run: () => void;
}

/** The longest wait that Node's timers accept. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The time of the playground: the given clock, plus a skew that tests and the control route may set. A task runs when its
 * time comes, also when the clock is moved past it. A task that fails is reported by `background` and does not delay the
 * others.
 */
export class PlaygroundClock {
  private skewMs = 0;
  private isClosed = false;
  /** While a task runs: the time it was due. */
  private taskMs: number | undefined;
  /** The earliest first. */
  private readonly tasks: Task[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: () => number,
    private readonly background: Background,
  ) {}

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.taskMs ?? this.current();

  /** How far this time is ahead of (positive) or behind (negative) everyone else's, in milliseconds. */
  get skewedByMs(): number {
    return this.skewMs;
  }

  /**
   * Moves the playground's time ahead of (positive) or behind (negative) everyone else's. Tasks that become due run
   * before this returns, in order, each at its own time.
   */
  skew(ms: number): void {
    this.skewMs = ms;
    this.runDue();
  }

  /** Moves the playground's time on by this much. */
  advance(ms: number): void {
    this.skew(this.skewMs + ms);
  }

  /**
   * Runs something at a time, or as soon as possible if that has passed; never before this returns.
   * Returns a function that cancels it.
   */
  at(atMs: number, run: () => void): () => void {
    const task: Task = { atMs, run };
    if (!this.isClosed) {
      const later = this.tasks.findIndex((other) => other.atMs > atMs);
      this.tasks.splice(later === -1 ? this.tasks.length : later, 0, task);
      this.arm();
    }
    return () => {
      const place = this.tasks.indexOf(task);
      if (place !== -1) this.tasks.splice(place, 1);
    };
  }

  /** Runs something after a wait in milliseconds of the playground's time. Returns a function that cancels it. */
  after(waitMs: number, run: () => void): () => void {
    return this.at(this.now() + waitMs, run);
  }

  /** Forgets everything that is scheduled, and schedules nothing more. */
  close(): void {
    this.isClosed = true;
    this.tasks.length = 0;
    clearTimeout(this.timer);
  }

  /** The time with its skew, even while a task is running: `now` then stands at the time of the task. */
  private current(): number {
    return this.source() + this.skewMs;
  }

  private runDue(): void {
    const untilMs = this.current();
    for (let task = this.tasks[0]; task !== undefined && task.atMs <= untilMs; task = this.tasks[0]) {
      this.tasks.shift();
      this.taskMs = task.atMs;
      this.background.runSync('a task of the clock', task.run);
      this.taskMs = undefined;
    }
    this.arm();
  }

  private arm(): void {
    clearTimeout(this.timer);
    const [next] = this.tasks;
    if (next === undefined) return;
    const waitMs = Math.min(Math.max(next.atMs - this.current(), 1), TIMER_MS_MAX);
    this.timer = this.background.later('the clock', waitMs, () => this.runDue());
  }
}
