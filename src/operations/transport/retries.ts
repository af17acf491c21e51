import { contentCodings } from '../../http/content-encoding.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../http/outgoing/retry-after.js';
import { walkElements } from '../../json/slices.js';
import { readShape } from './graphql-result.js';

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

  /** Takes a credit for a further call; false when there is none. */
  spend(): boolean {
    if (this.credits < 1) return false;
    this.credits -= 1;
    return true;
  }

  /**
   * Milliseconds to wait before queries are sent again; undefined when they are not. Only a call that cannot have been
   * answered is repeated: never after a timeout, never after the first byte.
   */
  pauseAfter(failed: IncomingAnswer | ExchangeFault, deadline: number): number | undefined {
    if (this.credits < 1 || !mayPass(failed)) return undefined;
    const ownMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    const pauseMs = Math.max(ownMs, askedMs(failed));
    return performance.now() + pauseMs < deadline ? pauseMs : undefined;
  }
}

function mayPass(failed: IncomingAnswer | ExchangeFault): boolean {
  if (failed instanceof ExchangeFault) return failed.kind === 'connection' && !failed.answering;
  return (failed.status === 502 || failed.status === 503) && !isGraphql(failed);
}

function askedMs(failed: IncomingAnswer | ExchangeFault): number {
  if (failed instanceof ExchangeFault) return 0;
  return (retryAfterSeconds(failed.headers['retry-after'], Date.now()) ?? 0) * 1000;
}

/** True if an answer is, or begins like, one of GraphQL to one operation or to an array. */
function isGraphql({ headers, body }: IncomingAnswer): boolean {
  if (contentCodings(headers['content-encoding']) !== undefined) return false;
  if (readShape(body)) return true;
  const [first] = walkElements(body);
  return first !== undefined && readShape(first) !== undefined;
}
