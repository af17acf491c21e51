import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { every } from '../concurrency/every.js';
import { Default } from '../config/default.js';
import { Database } from './database.js';

const PURGE_INTERVAL_MS = 60_000;

/** Values that can be taken once, by whichever replica is asked first. They live in the database. */
@Injectable()
export class OneTimeValues implements OnApplicationShutdown {
  private readonly purging = every(
    PURGE_INTERVAL_MS,
    () => this.purge(),
    () => undefined, // the next one purges as well
  );

  constructor(
    private readonly database: Database,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /** Keeps a value for `ttlMs`. */
  async put(key: string, value: Buffer, ttlMs: number): Promise<void> {
    await this.database.query('INSERT INTO one_time_values (key, value, expires_at) VALUES ($1, $2, $3)', [
      key,
      value.toString('base64'),
      this.now() + ttlMs,
    ]);
  }

  /** Removes and returns a value, in one step; undefined when there is none, or no longer. */
  async take(key: string): Promise<Buffer | undefined> {
    const [taken] = await this.database.query<{ value: string; expires_at: number }>(
      'DELETE FROM one_time_values WHERE key = $1 RETURNING value, expires_at',
      [key],
    );
    return taken && this.now() < taken.expires_at ? Buffer.from(taken.value, 'base64') : undefined;
  }

  onApplicationShutdown(): Promise<void> {
    return this.purging.stop();
  }

  private async purge(): Promise<void> {
    await this.database.query('DELETE FROM one_time_values WHERE expires_at < $1', [this.now()]);
  }
}
