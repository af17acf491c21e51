import type { Log } from '../../telemetry/log.js';
import type { Database } from '../../storage/database.js';
import type { EventNotices } from './event-notices.js';
import { RELATIONSHIP_CHANGED } from './webhook-event.js';

const LOOK_MS = 60_000;
const OVERLAP_MS = 10_000; // clocks of replicas differ a little

/** What is to be done on every replica when a hirer's relationship has changed. */
export type HirerForgetter = (hirerId: string) => void | Promise<void>;

/**
 * Makes this replica forget what it remembers of hirers whose relationship has changed: at once where the notice
 * arrives, within a minute where it was lost.
 */
export class RelationshipWatch {
  private timer: NodeJS.Timeout | undefined;
  private lookedAt: number;

  constructor(
    private readonly database: Database,
    private readonly notices: EventNotices,
    private readonly forget: HirerForgetter,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    this.lookedAt = now();
  }

  start(): void {
    this.notices.listenToRelationships((hirers) => {
      void (hirers ? this.forgetAll(hirers) : this.look());
    });
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Looks into the store for changes since the last look. */
  async look(): Promise<void> {
    const now = this.now();
    try {
      const rows = await this.database.query<{ hirer_id: string }>(
        `SELECT DISTINCT hirer_id FROM events
         WHERE payload IS NOT NULL AND received_at > $1 AND type = $2 AND hirer_id IS NOT NULL`,
        [this.lookedAt - OVERLAP_MS, RELATIONSHIP_CHANGED],
      );
      this.lookedAt = now;
      await this.forgetAll(rows.map((row) => row.hirer_id));
    } catch (error) {
      this.log.warn({ err: error }, 'changed relationships cannot be read; trying again');
    }
  }

  private async forgetAll(hirers: Iterable<string>): Promise<void> {
    for (const hirerId of hirers) await this.forget(hirerId);
  }
}
