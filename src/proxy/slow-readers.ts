import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../concurrency/user-budget.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';

/** Few bytes in a long window, since the operating system buffers more before it reports that a caller took anything. */
const BYTES_MIN = 65_536;
export const SLOW_READER_MS = 60_000;

/** Answers of full size that one user may leave unread, and how many such users there may be. */
const ANSWERS_PER_USER = 8;
const USERS = 8;
/** Smaller answers are not counted: each connection may hold one. */
const SMALL_BYTES = 16_384;

/**
 * Disconnects a caller that takes less than 64 KiB in a window while more is waiting; if nothing is, the upstream is
 * slow.
 */
export function cutIfSlow(response: ServerResponse, windowMs: number, onEnd: () => void): void {
  let before = bytesTaken(response);
  const timer = setInterval(() => {
    const taken = bytesTaken(response);
    if (response.writableLength > 0 && taken - before < BYTES_MIN) response.destroy();
    before = taken;
  }, windowMs);
  finished(response, () => {
    clearInterval(timer);
    onEnd();
  });
}

/** The bytes that the operating system took of the response: its buffers and the caller. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}

/**
 * Answers in memory until their callers have read them. A user who leaves too many bytes unread gets no further answer.
 */
@Injectable()
export class UnreadAnswers {
  private readonly budget: UserBudget;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ANSWER_LIMIT_BYTES'>,
    @Default() private readonly windowMs = SLOW_READER_MS,
  ) {
    const perUserMax = ANSWERS_PER_USER * config.ANSWER_LIMIT_BYTES;
    this.budget = new UserBudget({
      perUserMax,
      totalMax: USERS * perUserMax,
      what: 'unread bytes',
      retryAfterSeconds: 5,
    });
  }

  /** @throws BffError `rate_limited` while the user has too much unread, `unavailable` while all together have */
  admit(user: string): void {
    this.budget.check(user); // for one byte: the size of the answer is not known yet
  }

  follow(user: string, bytes: number, response: ServerResponse): void {
    if (bytes <= SMALL_BYTES) return;
    this.budget.add(user, bytes);
    cutIfSlow(response, this.windowMs, () => this.budget.release(user, bytes));
  }
}
