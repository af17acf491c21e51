import { setImmediate as settled } from 'node:timers/promises';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/**
 * A clock that stands still until it is moved, in place of `Date.now`, `performance.now` and the global timers: hours
 * pass in seconds, and each run is the same.
 */
export class VirtualTime {
  private ms = 1_767_225_600_000; // 2026-01-01
  private readonly timers = new Map<unknown, Timer>();
  private readonly replaced = {
    dateNow: Date.now,
    performanceNow: performance.now,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
  };

  constructor() {
    Date.now = () => this.ms;
    performance.now = () => this.ms;
    const setTimer = (run: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]) => {
      const handle = { unref: () => handle, ref: () => handle };
      this.timers.set(handle, { at: this.ms + delayMs, run: () => run(...given) });
      return handle;
    };
    globalThis.setTimeout = setTimer as unknown as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      if (!this.timers.delete(timer)) this.replaced.clearTimeout(timer); // of the test runner
    };
  }

  get now(): number {
    return this.ms;
  }

  /** A promise of the time after so many milliseconds. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Lets so many milliseconds pass, in order, with all that becomes due in them. */
  async advance(ms: number): Promise<void> {
    const end = this.ms + ms;
    await settled();
    for (let next = this.nextAt(); next <= end; next = this.nextAt()) {
      this.ms = next;
      this.runDue();
      await settled();
    }
    this.ms = end;
  }

  restore(): void {
    Date.now = this.replaced.dateNow;
    performance.now = this.replaced.performanceNow;
    globalThis.setTimeout = this.replaced.setTimeout;
    globalThis.clearTimeout = this.replaced.clearTimeout;
  }

  private nextAt(): number {
    let next = Infinity;
    for (const { at } of this.timers.values()) next = Math.min(next, at);
    return next;
  }

  private runDue(): void {
    for (const [handle, { at, run }] of this.timers) {
      if (at > this.ms) continue;
      this.timers.delete(handle);
      run();
    }
  }
}
