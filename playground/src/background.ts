/** Told of a failure of work that nobody was waiting for: the work, such as `a task of the clock`, and what was thrown. */
export type FailureListener = (what: string, error: unknown) => void;

/**
 * The one place that runs work whose result nobody waits for: timers, and work that a request leaves behind. A failure
 * there is reported; it ends neither the process nor other work.
 */
export class Background {
  /** @param fail reports a failure, also of work that handles its own end; by default it is printed to standard error */
  constructor(readonly fail: FailureListener = print) {}

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
}

function print(what: string, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`The playground continues, but this failed: ${what}\n${detail}\n`);
}
