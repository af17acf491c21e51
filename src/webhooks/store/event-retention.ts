import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventRecords } from './event-records.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Deletes the payloads of finished events after `EVENT_RETENTION_DAYS`, hourly. Ids stay, so that no event is new twice.
 */
@Injectable()
export class EventRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | undefined;

  constructor(
    private readonly records: EventRecords,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EVENT_RETENTION_DAYS'>,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = every(
      HOUR_MS,
      () => this.run(),
      (error) => this.log.warn({ err: error }, 'old payloads cannot be deleted; trying again in an hour'),
    );
  }

  /** One purge. */
  async run(): Promise<void> {
    await this.records.purge(this.now() - this.config.EVENT_RETENTION_DAYS * DAY_MS);
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }
}
