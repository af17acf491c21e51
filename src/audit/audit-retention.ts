import type { AuditTrail } from './audit-trail.js';
import type { Log } from '../telemetry/log.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Removes audit records that are older than `AUDIT_RETENTION_DAYS`, every hour; each replica may. */
export class AuditRetention {
  private readonly timer: NodeJS.Timeout | undefined;

  /** @param days 0 keeps everything */
  constructor(
    private readonly trail: AuditTrail,
    private readonly days: number,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    if (days > 0) this.timer = setInterval(() => void this.run(), HOUR_MS).unref();
  }

  /** One purge. Never rejects: the next hour tries again. */
  async run(): Promise<void> {
    try {
      const removed = await this.trail.purge(this.now() - this.days * DAY_MS);
      if (removed > 0) this.log.info({ removed, days: this.days }, 'old audit records are removed');
    } catch (error) {
      this.log.error({ err: error }, 'old audit records cannot be removed');
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
