import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { runSteps, runStepsInTurns, type Steps } from '../../concurrency/steps.js';
import { UserBudget } from '../../concurrency/user-budget.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { GraphqlResult } from '../transport/graphql-result.js';

/** Answers of full size that one user may have under way, and how many such users there may be. */
const ANSWERS_PER_USER = 16;
const USERS = 8;
/** Smaller answers are neither counted nor do they wait: they cost less than a request does. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 1;

/**
 * Shapes large answers of registered operations one at a time, step by step, with a turn of the event loop after each
 * step. The users who wait take turns, so that one with many answers does not hold up the others. The queue is bounded
 * for each user and in total.
 */
@Injectable()
export class AnswerTurns {
  private readonly budget: UserBudget;
  private readonly waiting = new Map<string, (() => Promise<void>)[]>();
  private isWorking = false;

  constructor(@Inject(CONFIG) config: Pick<Config, 'REGISTERED_ANSWER_LIMIT_BYTES'>) {
    const perUserMax = ANSWERS_PER_USER * config.REGISTERED_ANSWER_LIMIT_BYTES;
    this.budget = new UserBudget({
      perUserMax,
      totalMax: USERS * perUserMax,
      what: 'bytes of answers under way',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Counts an answer until the function that is returned is called.
   * @throws BffError `rate_limited` while the user has too much under way, `unavailable` while all together have
   */
  hold(user: string, { body }: GraphqlResult): () => void {
    if (body.length <= SMALL_BYTES) return () => undefined;
    this.budget.take(user, body.length);
    return () => this.budget.release(user, body.length);
  }

  /** Runs the steps for an answer: at once if it is small, else in turn. */
  shape<T>(user: string, { body }: GraphqlResult, steps: Steps<T>): T | Promise<T> {
    if (body.length <= SMALL_BYTES) return runSteps(steps);
    return new Promise<T>((resolve, reject) => {
      const job = (): Promise<void> => runStepsInTurns(steps).then(resolve, reject);
      this.waiting.set(user, [...(this.waiting.get(user) ?? []), job]);
      if (!this.isWorking) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let job = this.takeNext(); job; job = this.takeNext()) {
      await job();
      await turn();
    }
    this.isWorking = false;
  }

  /** The next answer of the user who has waited longest; the user's others go to the end. */
  private takeNext(): (() => Promise<void>) | undefined {
    const [next] = this.waiting;
    if (!next) return undefined;
    const [user, [job, ...others]] = next;
    this.waiting.delete(user);
    if (others.length > 0) this.waiting.set(user, others);
    return job;
  }
}
