import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { StoreError } from '../../errors/store-error.js';
import { Database } from '../../storage/database.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { BrowserTokens } from '../../token/browser-tokens.js';
import { HirerNames } from '../../token/hirer-names.js';
import { EventNotices } from './event-notices.js';
import { RELATIONSHIP_CHANGED } from '../webhook-event.js';

const LOOK_MS = 60_000;

/**
 * Drops the cached browser tokens and the name of hirers whose relationship changed, on every replica: at once by the
 * notice, or within a minute. A replica that starts heeds those that the store still has: the shared cache may hold
 * older tokens.
 */
@Injectable()
export class RelationshipWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | undefined;
  /** The last change that was there at the last look; undefined before the first. */
  private place: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly notices: EventNotices,
    @Inject(BrowserTokens) private readonly tokens: Pick<BrowserTokens, 'dropHirers'>,
    @Inject(HirerNames) private readonly names: Pick<HirerNames, 'forget'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const onError = (error: unknown): void => {
      const level = error instanceof StoreError ? 'debug' : 'warn'; // a store that fails is a condition
      this.log[level]({ err: error }, 'changed relationships cannot be read; trying again');
    };
    this.loop = every(LOOK_MS, () => this.look(), onError);
    this.notices.listenToRelationships(() => this.loop?.wake());
    await this.look().catch(onError);
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }

  /** Reads the changes since the last look from the store; one whose hirer a later copy named is new then. */
  private async look(): Promise<void> {
    const { place } = this; // as it was: another look may end before this one
    const rows = await this.database.query<{ hirer_id: string; changed_at: number; place: number }>(
      `SELECT hirer_id, MAX(received_at) AS changed_at, MAX(sequence) AS place FROM events
       WHERE sequence > $1 AND type = $2 AND hirer_id IS NOT NULL AND (first_sequence IS NULL OR first_sequence > $1)
       GROUP BY hirer_id ORDER BY changed_at`,
      [place ?? 0, RELATIONSHIP_CHANGED],
    );
    const hirerIds = rows.map((row) => row.hirer_id);
    for (const hirerId of hirerIds) this.names.forget(hirerId);
    this.tokens.dropHirers(hirerIds, place === undefined ? rows.at(-1)?.changed_at : undefined);
    this.place = rows.reduce((last, row) => Math.max(last, row.place), this.place ?? 0);
  }
}
