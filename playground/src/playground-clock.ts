import type { Background } from './background.js';

/** A task at a time of the playground. */
interface Task {
  atMs: number;
  readonly run: () => void;
  /** For a task that repeats: the time between two runs. */
  readonly everyMs?: number;
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
    this.bringRepeatsForward();
    this.runDue();
  }

  /** Moves the playground's time on by this much. */
  advance(ms: number): void {
    this.skew(this.skewMs + ms);
  }

  /** Runs something at a time, or as soon as possible if that has passed; never before this returns. */
  at(atMs: number, run: () => void): () => void {
    const task = { atMs, run };
    this.plan(task);
    return () => this.cancel(task);
  }

  /** Runs something after a wait in milliseconds of the playground's time. Returns a function that cancels it. */
  after(waitMs: number, run: () => void): () => void {
    return this.at(this.now() + waitMs, run);
  }

  /**
   * Runs something at an interval. Runs that the clock is moved past are left out, so that a jump of a year is one run.
   * Returns a function that cancels it.
   */
  every(everyMs: number, run: () => void): () => void {
    const task: Task = {
      atMs: this.current() + everyMs,
      everyMs,
      run: () => {
        const nextMs = task.atMs + everyMs;
        task.atMs = nextMs > this.current() ? nextMs : this.current() + everyMs;
        this.plan(task);
        run();
      },
    };
    this.plan(task);
    return () => this.cancel(task);
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

  private plan(task: Task): void {
    if (this.isClosed) return;
    const later = this.tasks.findIndex(({ atMs }) => atMs > task.atMs);
    this.tasks.splice(later === -1 ? this.tasks.length : later, 0, task);
    this.arm();
  }

  private cancel(task: Task): void {
    const place = this.tasks.indexOf(task);
    if (place !== -1) this.tasks.splice(place, 1);
  }

  /** A task that repeats must not wait, after the clock was moved back, until the time that it was moved from. */
  private bringRepeatsForward(): void {
    for (const task of this.tasks) {
      if (task.everyMs !== undefined) task.atMs = Math.min(task.atMs, this.current() + task.everyMs);
    }
    this.tasks.sort((a, b) => a.atMs - b.atMs);
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
