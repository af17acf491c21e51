import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { Default } from '../../config/default.js';
import { Database } from '../../storage/database.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { BrowserTokens } from '../../token/browser-tokens.js';
import { HirerNames } from '../../token/hirer-names.js';
import { EventNotices } from './event-notices.js';
import { RELATIONSHIP_CHANGED } from './webhook-event.js';

const LOOK_MS = 60_000;
const OVERLAP_MS = 10_000; // clocks of replicas differ a little

/**
 * Drops the cached browser tokens and the name of hirers whose relationship changed, on every replica: at once when the
 * notice arrives, and within a minute when it is lost.
 */
@Injectable()
export class RelationshipWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | undefined;
  private lookedAt: number;

  constructor(
    private readonly database: Database,
    private readonly notices: EventNotices,
    @Inject(BrowserTokens) private readonly tokens: Pick<BrowserTokens, 'dropHirer'>,
    @Inject(HirerNames) private readonly names: Pick<HirerNames, 'forget'>,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.lookedAt = now();
  }

  onApplicationBootstrap(): void {
    const onError = (error: unknown): void =>
      this.log.warn({ err: error }, 'changed relationships cannot be read; trying again');
    this.loop = every(LOOK_MS, () => this.look(), onError);
    this.notices.listenToRelationships((hirers) => {
      if (hirers) this.forgetAll(hirers).catch(onError);
      else this.loop?.wake();
    });
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }

  /** Reads the changes since the last look from the store. */
  private async look(): Promise<void> {
    const now = this.now();
    const rows = await this.database.query<{ hirer_id: string }>(
      `SELECT DISTINCT hirer_id FROM events
       WHERE payload IS NOT NULL AND received_at > $1 AND type = $2 AND hirer_id IS NOT NULL`,
      [this.lookedAt - OVERLAP_MS, RELATIONSHIP_CHANGED],
    );
    this.lookedAt = now;
    await this.forgetAll(rows.map((row) => row.hirer_id));
  }

  private async forgetAll(hirers: Iterable<string>): Promise<void> {
    for (const hirerId of hirers) {
      this.names.forget(hirerId);
      await this.tokens.dropHirer(hirerId);
    }
  }
}
