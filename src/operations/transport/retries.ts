import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';

const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 250;
const CREDITS_MAX = 10;
const CREDIT = 0.1;

/** When a call is made again, and how often: further calls are at most a tenth of all, and ten after a quiet time. */
export class Retries {
  private credits = CREDITS_MAX;

  constructor(private readonly random: () => number) {}

  /** A first call is made. */
  earn(): void {
    this.credits = Math.min(CREDITS_MAX, this.credits + CREDIT);
  }

  /**
   * Takes a credit and returns the milliseconds to wait before queries are sent again; undefined when they are not. Only a
   * call that cannot have been answered is made again: never after a timeout, never after the first byte, and not where
   * the upstream asks for a longer wait.
   * @param failed without a GraphQL answer
   */
  spend(failed: IncomingAnswer | ExchangeFault, deadline: number): number | undefined {
    const pauseMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    const isTooLate = performance.now() + pauseMs >= deadline;
    if (this.credits < 1 || isTooLate || !mayPass(failed)) return undefined;
    this.credits -= 1;
    return pauseMs;
  }
}

function mayPass(failed: IncomingAnswer | ExchangeFault): boolean {
  if (failed instanceof ExchangeFault) return failed.kind === 'connection' && failed.status === 0;
  return (failed.status === 502 || failed.status === 503) && failed.headers['retry-after'] === undefined;
}

/** Ends early when it is cancelled. */
export function pause(ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      cancellation.offCancel(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    cancellation.onCancel(end);
  });
}
