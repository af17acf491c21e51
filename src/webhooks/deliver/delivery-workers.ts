import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Database } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventNotices } from '../store/event-notices.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { CLOCKS, DeliveryWorker } from './delivery-worker.js';
import { EventObjects, type ObjectSource } from './event-objects.js';
import { SINKS } from './sinks/open-sinks.js';
import type { Sink } from './sinks/sink.js';

/** Delivers stored events to every sink. Each has its own worker, so that none waits for another. */
@Injectable()
export class DeliveryWorkers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly workers: readonly DeliveryWorker[];

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'UPSTREAM_TIMEOUT_MS' | 'ISSUER_TIMEOUT_MS'>,
    database: Database,
    @Inject(SINKS) sinks: readonly Sink[],
    notices: EventNotices,
    metrics: WebhookMetrics,
    conditions: Conditions,
    @Inject(LOG) log: Log,
    @Inject(EventObjects) objects: ObjectSource,
    @Default() clocks = CLOCKS,
  ) {
    const objectMs = config.UPSTREAM_TIMEOUT_MS + config.ISSUER_TIMEOUT_MS;
    const parts = { database, notices, metrics, conditions, log, objectMs, ...clocks };
    this.workers = sinks.map((sink) => {
      const own = sink.settings.objects ? objects : undefined;
      return new DeliveryWorker({ ...parts, sink, objects: own });
    });
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.start();
  }

  /** Looks for due events now, without a notice. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  async takeDue(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.takeDue()));
  }

  async idle(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.idle()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}
