import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../http/outgoing/retry-after.js';
import { isGraphql } from './graphql-result.js';

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
   * call that cannot have been answered is repeated: never after a timeout, never after the first byte.
   */
  spend(failed: IncomingAnswer | ExchangeFault, deadline: number): number | undefined {
    if (this.credits < 1 || !mayPass(failed)) return undefined;
    const ownMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    const askedSeconds = retryAfterSeconds(headersOf(failed)['retry-after'], Date.now()) ?? 0;
    const pauseMs = Math.max(ownMs, askedSeconds * 1000);
    if (performance.now() + pauseMs >= deadline) return undefined;
    this.credits -= 1;
    return pauseMs;
  }
}

function mayPass(failed: IncomingAnswer | ExchangeFault): boolean {
  if (failed instanceof ExchangeFault) return failed.kind === 'connection' && !failed.answering;
  return (failed.status === 502 || failed.status === 503) && !isGraphql(failed);
}

function headersOf(failed: IncomingAnswer | ExchangeFault): IncomingAnswer['headers'] {
  return failed instanceof ExchangeFault ? {} : failed.headers;
}
