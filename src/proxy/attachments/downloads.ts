import type { ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type { Count } from '../../telemetry/counted-metrics.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { EndUser } from '../../http/end-user.js';
import { DOWNLOADS_MAX } from '../../upstream/upstream-clients.js';
import { cutIfSlow, SLOW_READER_MS } from '../slow-readers.js';

/** Per user: as many as a browser opens to one server. */
const USER_DOWNLOADS_MAX = 6;
/** Per machine, which saves the files of many deliveries at once. Leaves connections for users. */
const MACHINE_DOWNLOADS_MAX = 32;

/**
 * The downloads under way. Each holds an upstream connection for as long as its caller reads, so one user may have only
 * a few, a machine more, all together no more than there are connections for them, and a caller
 * that reads less than 64 KiB in a minute is disconnected. Counts how each of them ended.
 */
@Injectable()
export class Downloads {
  private readonly budget: UserBudget;
  private readonly outcomes: Count<'outcome'>;

  constructor(
    metrics: Metrics,
    @Default() private readonly windowMs = SLOW_READER_MS,
  ) {
    this.budget = new UserBudget({
      perUserMax: USER_DOWNLOADS_MAX,
      totalMax: DOWNLOADS_MAX,
      what: 'downloads',
    });
    this.outcomes = metrics.counter(
      'bff_attachment_downloads_total',
      'Downloads: ok, stalled (cut, because its caller read too slowly), cancelled, or the error code.',
      ['outcome'],
    );
    metrics.gauge(
      'bff_attachment_downloads',
      'Downloads under way; each holds an upstream connection.',
      [],
      (gauge) => gauge.set(this.budget.total),
    );
  }

  /**
   * Begins a download; {@link leave} ends it, or the end of the response once it is {@link follow}ed.
   * @throws BffError `rate_limited` when the user has too many, `unavailable` when all together are too many
   */
  enter({ userId, isMachine }: Pick<EndUser, 'userId' | 'isMachine'>): void {
    this.budget.take(userId, 1, isMachine ? MACHINE_DOWNLOADS_MAX : undefined);
  }

  /** Ends a download that did not begin to answer. */
  leave(user: string): void {
    this.budget.release(user);
  }

  /** Counts a download that ended without an answer. */
  count(outcome: string): void {
    this.outcomes.inc({ outcome });
  }

  /** Watches an answer that has begun; the upstream connection and the place of the user are free when it ends. */
  follow(user: string, body: Readable, response: ServerResponse): void {
    const watch = cutIfSlow(response, this.windowMs);
    finished(response, () => {
      watch.stop();
      this.count(watch.stalled ? 'stalled' : outcomeOf(body, response));
      body.on('error', () => undefined).destroy();
      this.leave(user);
    });
  }
}

function outcomeOf(body: Readable, response: ServerResponse): string {
  if (response.writableFinished) return 'ok';
  return body.errored ? toBffError(body.errored).code : 'cancelled';
}
