import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { BffError } from '../errors/bff-error.js';
import { watchProgress } from './attachments/downloads.js';

/** So little is not counted: a connection may hold it. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/** How much may wait for its callers, and how slowly they may take it. */
export interface UnreadBounds {
  readonly perUserMax: number;
  readonly totalMax: number;
  /** A caller that takes less than 64 KiB in this time, and is not done, is cut. */
  readonly windowMs: number;
}

/**
 * Answers that are made and that their callers have not taken yet: they are whole in memory. A user who has too many
 * bytes of them gets no further one begun, and a caller that reads next to nothing is cut.
 */
export class UnreadAnswers {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly bounds: UnreadBounds) {}

  /** @throws BffError `rate_limited` while the user has too much unread, `unavailable` while all together have */
  admit(user: string): void {
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if ((this.held.get(user) ?? 0) >= this.bounds.perUserMax) {
      throw new BffError('rate_limited', { ...retry, message: 'too many answers of one user are unread' });
    }
    if (this.total >= this.bounds.totalMax) {
      throw new BffError('unavailable', { ...retry, message: 'too many answers are unread' });
    }
  }

  /** Counts an answer until it was taken or its connection closed. */
  follow(user: string, bytes: number, response: ServerResponse): void {
    if (bytes <= SMALL_BYTES) return;
    this.add(user, bytes);
    const watch = watchProgress(response, this.bounds.windowMs);
    finished(response, () => {
      watch.stop();
      this.add(user, -bytes);
    });
  }

  private add(user: string, bytes: number): void {
    const own = (this.held.get(user) ?? 0) + bytes;
    this.total += bytes;
    if (own > 0) this.held.set(user, own);
    else this.held.delete(user);
  }
}
