/** Work that is repeated in the background. */
export interface Loop {
  /** Runs the work now; again after the run that is under way, if there is one. */
  wake(): void;
  /** No run begins from now on; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `intervalMs`, counted from the end of the previous run, and never concurrently. The first run comes
 * after the first interval. It does not keep the process alive.
 * @param intervalMs or a function that is asked for it after each run
 * @param onError called with the error of a failed run; the loop continues
 */
export function every(
  intervalMs: number | (() => number),
  work: () => void | Promise<void>,
  onError: (error: unknown) => void,
): Loop {
  return new BackgroundLoop(intervalMs, work, onError);
}

class BackgroundLoop implements Loop {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private wokenMeanwhile = false;
  private stopped = false;

  constructor(
    private readonly intervalMs: number | (() => number),
    private readonly work: () => void | Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {
    this.schedule();
  }

  wake(): void {
    if (this.stopped) return;
    if (this.running) this.wokenMeanwhile = true;
    else this.begin();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    const ms = typeof this.intervalMs === 'number' ? this.intervalMs : this.intervalMs();
    this.timer = setTimeout(() => this.begin(), ms).unref();
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (!this.stopped) this.schedule();
    });
  }

  private async run(): Promise<void> {
    do {
      this.wokenMeanwhile = false;
      try {
        await this.work();
      } catch (error) {
        this.onError(error);
      }
    } while (this.wokenMeanwhile && !this.stopped);
  }
}
