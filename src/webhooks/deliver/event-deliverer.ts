import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { Database } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventNotices } from '../store/event-notices.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { DELIVERY_ROUTES, type DeliveryRoute } from './delivery-route.js';
import { DeliveryWorker } from './delivery-worker.js';
import { EventObjects } from './objects/event-objects.js';
import { NO_OBJECTS } from './objects/no-objects.js';
import type { ObjectSource } from './objects/object-stage.js';
import { SinkFeed } from './sink-feed.js';

/** Notices of new events come sooner. */
const FEED_MS = 3_000;
/** A batch under way is short, but its database may hang. */
const STOP_MS_MAX = 500;

/** Settings that {@link EventDeliverer} reads. */
type DeliverySettings = Pick<Config, 'UPSTREAM_TIMEOUT_MS' | 'ISSUER_TIMEOUT_MS'>;

/**
 * Delivers stored events to every sink. Each sink has a queue and a worker of its own, so
 * that none waits for another; what is stored is fed into the queues first ({@link SinkFeed}).
 */
@Injectable()
export class EventDeliverer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly workers: readonly DeliveryWorker[];
  private loop: Loop | undefined;

  constructor(
    @Inject(CONFIG) { UPSTREAM_TIMEOUT_MS, ISSUER_TIMEOUT_MS }: DeliverySettings,
    database: Database,
    @Inject(DELIVERY_ROUTES) private readonly routes: readonly DeliveryRoute[],
    private readonly feed: SinkFeed,
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
    this.workers = routes.map((route) => {
      const own = route.objects ? objects : NO_OBJECTS;
      return new DeliveryWorker({
        route,
        database,
        metrics,
        conditions,
        log,
        objects: own,
        objectMs,
        now,
        steadyNow,
        random,
      });
    });
  }

  /** True if there is anything to deliver to. */
  get hasTargets(): boolean {
    return this.routes.some(({ targets }) => targets.length > 0);
  }

  /** @throws BffError `invalid_request` when events have nowhere to go */
  requireTargets(): void {
    if (this.hasTargets) return;
    throw new BffError('invalid_request', {
      detail: 'There is nowhere to deliver to: neither EVENT_SINK_URL nor EVENT_SINKS_FILE is set.',
    });
  }

  /** Why a sink does not accept what this replica delivers to it; undefined while it does. */
  faultOf(sink: string): string | undefined {
    const faults = this.routes.flatMap((route, index) =>
      route.sink === sink ? this.workers[index]!.faults : [],
    );
    return faults.length === 0 ? undefined : faults.join('; ');
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.feed.begin();
    this.loop = every(
      FEED_MS,
      () => this.feedSinks(),
      (error) => this.log.warn({ err: error }, 'events cannot be queued for their sinks; trying again'),
    );
    for (const worker of this.workers) worker.start();
    this.notices.listen(() => this.wake());
    this.loop.wake();
  }

  /** Looks for due events now rather than at the next poll. */
  wake(): void {
    this.loop?.wake();
    for (const worker of this.workers) worker.wake();
  }

  /** Takes as many due events as there are free places, and begins to deliver them. */
  async takeDue(): Promise<void> {
    await this.feed.run();
    await Promise.all(this.workers.map((worker) => worker.takeDue()));
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.idle()));
  }

  async onApplicationShutdown(): Promise<void> {
    const fed = within(STOP_MS_MAX, Promise.resolve(this.loop?.stop()));
    await Promise.all([fed, ...this.workers.map((worker) => worker.stop())]);
  }

  private async feedSinks(): Promise<void> {
    const queued = await this.feed.run();
    if (queued > 0) for (const worker of this.workers) worker.wake();
  }
}
