import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/**
 * Values that can be taken once, by whichever replica is asked first. They live in the database, each under the hash of
 * its owner, so that an erasure finds them.
 */
@Injectable()
export class OneTimeValues {
  constructor(private readonly database: Database) {}

  /** A key for {@link put}, which no other value has. */
  newKey(owner: string): string {
    return `${startOf(owner)}${randomUUID()}`;
  }

  /** Keeps a value for `ttlMs`; what is past its time goes. */
  async put(key: string, value: Buffer, ttlMs: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('DELETE FROM one_time_values WHERE expires_at <= :now');
      const insert =
        'INSERT INTO one_time_values (key, value, expires_at) VALUES ($1, $2, :now + CAST($3 AS BIGINT))';
      await tx.last(insert, [key, value.toString('base64'), ttlMs]);
    });
  }

  /** Removes and returns a value, in one step; undefined when there is none, or no longer. */
  async take(key: string): Promise<Buffer | undefined> {
    const [taken] = await this.database.query<{ value: string; is_late: number }>(
      'DELETE FROM one_time_values WHERE key = $1 RETURNING value, CAST(expires_at <= :now AS INTEGER) AS is_late',
      [key],
    );
    return taken?.is_late === 0 ? Buffer.from(taken.value, 'base64') : undefined;
  }

  /** Removes all values of an owner. */
  async dropOf(owner: string): Promise<void> {
    const start = startOf(owner);
    const sql = 'DELETE FROM one_time_values WHERE key >= $1 AND key < $2';
    await this.database.query(sql, [start, `${start}~`]);
  }
}

function startOf(owner: string): string {
  return `${hash('sha256', owner, 'hex')}.`;
}
