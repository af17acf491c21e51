import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventDeliverer } from '../deliver/event-deliverer.js';
import { RedeliveryLost, RedeliveryStore } from './redelivery-store.js';

/** For a redelivery that another replica began and does not continue. */
const LOOK_MS = 10_000;
/** While this replica continues one. */
const CONTINUE_MS = 1_000;
const BATCH_EVENTS = 500;
/** A batch under way is short, but its database may hang. */
const STOP_MS_MAX = 500;

/**
 * Queues the events of a redelivery in batches, on one replica at a time. While a batch waits for delivery no further one
 * is queued, so that new events wait behind few old ones.
 */
@Injectable()
export class RedeliveryWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private loop: Loop | undefined;
  private stopped = false;
  private isUnderWay = false;

  constructor(
    private readonly store: RedeliveryStore,
    @Inject(EventDeliverer) private readonly deliverer: Pick<EventDeliverer, 'wake'>,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly batchEvents = BATCH_EVENTS,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = every(
      () => (this.isUnderWay ? CONTINUE_MS : LOOK_MS),
      () => this.run(),
      (error) => this.log.warn({ err: error }, 'events to redeliver cannot be queued; trying again'),
    );
  }

  /** Looks for work now rather than at the next look. */
  wake(): void {
    this.loop?.wake();
  }

  /** Queues batches until one waits for delivery, or all events are queued. */
  async run(): Promise<void> {
    let held = await this.store.take();
    try {
      while (held && !this.stopped && !(await this.store.isQueueFull(this.batchEvents))) {
        held = await this.store.queueNext(held, this.batchEvents);
        this.deliverer.wake();
      }
    } catch (error) {
      if (!(error instanceof RedeliveryLost)) throw error;
    }
    this.isUnderWay = held !== undefined;
    if (held) await this.store.release(held);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await within(STOP_MS_MAX, Promise.resolve(this.loop?.stop()));
  }
}
