/** A failure of work that nobody was waiting for. */
export interface Failure {
  /** When, by the machine's clock, in ISO 8601. */
  readonly time: string;
  /** The work that failed, such as `a task of the clock`. */
  readonly what: string;
  readonly message: string;
}

const FAILURES_MAX = 100;

/**
 * The one place that runs work whose result nobody waits for: timers, and work that a request leaves behind. A failure
 * there is reported and kept; it ends neither the process nor other work.
 */
export class Background {
  private readonly failed: Failure[] = [];

  /** @param report called with each failure and what was thrown; by default it is printed to standard error */
  constructor(private readonly report: (failure: Failure, error: unknown) => void = print) {}

  /** The last hundred failures, oldest first. */
  failures(): readonly Failure[] {
    return this.failed;
  }

  /** Forgets all failures. */
  clear(): void {
    this.failed.length = 0;
  }

  /** Runs something now. Resolves when it has ended, however it did. */
  async run(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.fail(what, error);
    }
  }

  /** Runs something now that waits for nothing. */
  runSync(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(what, error);
    }
  }

  /** Runs something in the next turn of the event loop. */
  soon(what: string, work: () => void): void {
    setImmediate(() => this.runSync(what, work));
  }

  /** Runs something after a wait by the machine's clock. The timer does not keep the process alive. */
  later(what: string, waitMs: number, work: () => void): NodeJS.Timeout {
    return setTimeout(() => this.runSync(what, work), waitMs).unref();
  }

  /** Reports a failure, for work that handles its own end. */
  fail(what: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const failure = { time: new Date().toISOString(), what, message };
    this.failed.push(failure);
    if (this.failed.length > FAILURES_MAX) this.failed.shift();
    this.report(failure, error);
  }
}

function print({ what }: Failure, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`The playground continues, but this failed: ${what}\n${detail}\n`);
}
