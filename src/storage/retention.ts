import { every, type Loop } from '../concurrency/every.js';
import type { Log } from '../telemetry/log.js';
import type { Database } from './database.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Records that are kept for a number of days. */
interface Retained {
  /** In the plural, for the log. */
  readonly what: string;
  /** Removes what is older than that time; returns how much. Any number of replicas do so at once. */
  purge(before: number): Promise<number>;
}

/**
 * Removes, at the start and every hour, what has been kept for its number of days: by the clock of the database, since a
 * replica's may be wrong. Nest starts and stops it.
 */
export class Retention {
  private loop: Loop | undefined;

  /** @param days 0 keeps them for ever */
  constructor(
    private readonly retained: Retained,
    private readonly days: number,
    private readonly database: Pick<Database, 'now'>,
    private readonly log: Pick<Log, 'info' | 'error'>,
  ) {}

  onApplicationBootstrap(): void {
    if (this.days === 0) return;
    const failure = `old ${this.retained.what} cannot be removed; trying again in an hour`;
    const onError = (err: unknown): void => this.log.error({ err }, failure);
    this.loop = every(HOUR_MS, () => this.run(), onError);
    this.loop.wake();
  }

  /** One purge. */
  async run(): Promise<void> {
    const { days } = this;
    const removed = await this.retained.purge((await this.database.now()) - days * DAY_MS);
    if (removed > 0) this.log.info({ removed, days }, `old ${this.retained.what} removed`);
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }
}
