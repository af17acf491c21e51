import type { Log } from '../../telemetry/log.js';
import type { EventRecords } from './event-records.js';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;

/** Forgets the payloads of finished events after their time, hourly. Their ids stay, so that none is new twice. */
export class EventRetention {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly records: EventRecords,
    private readonly days: number,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    try {
      await this.records.purge(this.now() - this.days * DAY_MS);
    } catch (error) {
      this.log.warn({ err: error }, 'old payloads cannot be forgotten; trying again in an hour');
    }
  }
}
