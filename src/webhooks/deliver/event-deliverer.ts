import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Database } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventNotices } from '../store/event-notices.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { DeliveryWorker } from './delivery-worker.js';
import { EventObjects, type ObjectSource } from './objects/event-objects.js';
import { SINKS } from './sinks/open-sinks.js';
import type { Sink } from './sinks/sink.js';

const REMOVED =
  'events wait for a sink that is not in the settings any more: they are not delivered. Name the sink again, or redeliver them to another one';

/** Settings that {@link EventDeliverer} reads. */
type DeliverySettings = Pick<Config, 'UPSTREAM_TIMEOUT_MS' | 'ISSUER_TIMEOUT_MS'>;

/** Delivers stored events to every sink. Each has its own worker, so that none waits for another. */
@Injectable()
export class EventDeliverer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly workers: ReadonlyMap<string, DeliveryWorker>;

  constructor(
    @Inject(CONFIG) { UPSTREAM_TIMEOUT_MS, ISSUER_TIMEOUT_MS }: DeliverySettings,
    private readonly database: Database,
    @Inject(SINKS) sinks: readonly Sink[],
    private readonly notices: EventNotices,
    metrics: WebhookMetrics,
    conditions: Conditions,
    @Inject(LOG) private readonly log: Log,
    @Inject(EventObjects) objects: ObjectSource,
    @Default() now: () => number = Date.now,
    @Default() random: () => number = Math.random,
    @Default() steadyNow: () => number = () => performance.now(),
  ) {
    const objectMs = UPSTREAM_TIMEOUT_MS + ISSUER_TIMEOUT_MS;
    const parts = { database, metrics, conditions, log, objectMs, now, steadyNow, random };
    this.workers = new Map(
      sinks.map((sink) => [
        sink.settings.name,
        new DeliveryWorker({ ...parts, sink, objects: sink.settings.objects ? objects : undefined }),
      ]),
    );
  }

  /** Why a sink does not accept what this replica delivers to it; undefined while it does. */
  faultOf(sink: string): string | undefined {
    return this.workers.get(sink)?.fault;
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers.values()) worker.start();
    this.notices.listen(() => this.wake());
    void this.warnOfRemoved();
  }

  /** Looks for due events now rather than at the next poll. */
  wake(): void {
    for (const worker of this.workers.values()) worker.wake();
  }

  /** Claims as many due events as there are free places, and begins to deliver them. */
  async takeDue(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.takeDue()));
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.idle()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
  }

  private async warnOfRemoved(): Promise<void> {
    try {
      const rows = await this.database.query<{ sink: string; count: number }>(
        "SELECT sink, COUNT(*) AS count FROM deliveries WHERE state IN ('pending', 'failed') GROUP BY sink",
      );
      for (const { sink, count } of rows) {
        if (!this.workers.has(sink)) this.log.warn({ sink, events: count }, REMOVED);
      }
    } catch (error) {
      this.log.warn(
        { err: error },
        'events of sinks that are not in the settings any more cannot be counted',
      );
    }
  }
}
