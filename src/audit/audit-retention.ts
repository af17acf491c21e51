import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../concurrency/every.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { LOG, type Log } from '../telemetry/log.js';
import { AuditTrail } from './audit-trail.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Removes audit records older than `AUDIT_RETENTION_DAYS` every hour, on any replica; 0 keeps them. */
@Injectable()
export class AuditRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | undefined;

  constructor(
    private readonly trail: AuditTrail,
    @Inject(CONFIG) private readonly config: Pick<Config, 'AUDIT_RETENTION_DAYS'>,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.AUDIT_RETENTION_DAYS === 0) return;
    this.loop = every(
      HOUR_MS,
      () => this.run(),
      (error) => this.log.error({ err: error }, 'old audit records cannot be removed'),
    );
  }

  /** One purge. */
  async run(): Promise<void> {
    const { AUDIT_RETENTION_DAYS: days } = this.config;
    const removed = await this.trail.purge(this.now() - days * DAY_MS);
    if (removed > 0) this.log.info({ removed, days }, 'old audit records removed');
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }
}
