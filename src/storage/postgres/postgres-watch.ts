import { every, type Loop } from '../../concurrency/every.js';
import { answerWithin, LATE } from '../../concurrency/within.js';
import type { Log } from '../../telemetry/log.js';
import { isConnectionFault, isReply } from './postgres-fault.js';

const CHECK_INTERVAL_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;
const LOSS_LOG_MS = 60_000;

/**
 * Knows and logs the state of PostgreSQL: each change once, and connections that are lost while it answers at most once
 * a minute. It checks the server after a connection fault, and once a second while it is down.
 */
export class PostgresWatch {
  private readonly loop: Loop;
  private isUp = true;
  private fault: unknown;
  private suspicion: unknown;
  private lossLoggedAt = -Infinity;

  /**
   * @param ping asks the server on a new connection; rejects when it does not answer
   * @param onGone called for each check that the server did not answer at all: no connection can be alive
   */
  constructor(
    private readonly ping: () => Promise<unknown>,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly onGone: () => void = () => undefined,
    private readonly now: () => number = Date.now,
  ) {
    this.loop = every(
      CHECK_INTERVAL_MS,
      () => this.check(),
      (error) => this.goDown(error),
    );
  }

  /** Reports a failure; only a connection fault leads to a check. */
  suspect(error: unknown): void {
    if (!this.isUp || !isConnectionFault(error)) return;
    this.suspicion ??= error;
    this.loop.wake();
  }

  /** Why the server cannot answer; undefined while it may, a refusal of new connections included. */
  get whyGone(): unknown {
    return this.isUp || isReply(this.fault) ? undefined : this.fault;
  }

  close(): Promise<void> {
    return this.loop.stop();
  }

  private async check(): Promise<void> {
    const { suspicion } = this;
    this.suspicion = undefined;
    if (this.isUp && suspicion === undefined) return;
    if ((await answerWithin(ANSWER_TIMEOUT_MS, this.ping())) === LATE) {
      throw new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`);
    }
    if (this.isUp) this.logLoss(suspicion);
    else this.log.info('PostgreSQL answers again');
    this.isUp = true;
  }

  private goDown(err: unknown): void {
    if (this.isUp) {
      this.log.warn({ err }, 'PostgreSQL is down: what needs the database fails until it answers');
    }
    this.isUp = false;
    this.fault = err;
    if (!isReply(err)) this.onGone();
  }

  private logLoss(err: unknown): void {
    if (this.now() - this.lossLoggedAt < LOSS_LOG_MS) return;
    this.lossLoggedAt = this.now();
    this.log.warn({ err }, 'a connection to PostgreSQL was lost; the server answers on another');
  }
}
