import type { Log } from '../../telemetry/log.js';
import { Cancellation } from '../../http/cancellation.js';
import type { DeliveryQueue, TakenEvent } from './delivery-queue.js';
import type { DeliveryOutcome, EventTarget } from './event-target.js';
import { retryPauseMs } from './retry-schedule.js';
import type { WebhookMetrics } from '../webhook-metrics.js';

const POLL_MS = 1_000;
const DRAIN_MS_MAX = 10_000;

/** How much a deliverer does at once, and its sources of time and chance. */
export interface DelivererOptions {
  readonly concurrency: number;
  /** How long a stop waits for deliveries under way, ten seconds at most. */
  readonly drainMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * Hands stored events to whoever wants them, at least once. An event is finished when every target has had it; a
 * target that has had it is not asked again while another still fails.
 */
export class EventDeliverer {
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new Cancellation();
  private readonly now: () => number;
  private readonly random: () => number;
  private timer: NodeJS.Timeout | undefined;
  private taking: Promise<void> | undefined;
  private takeAgain = false;
  /** The receiver asked for peace until then. */
  private pausedUntil = 0;
  private stopped = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly targets: readonly EventTarget[],
    private readonly metrics: WebhookMetrics,
    private readonly log: Log,
    private readonly options: DelivererOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.random = options.random ?? Math.random;
  }

  /** Whether there is anyone to deliver to. */
  get hasTargets(): boolean {
    return this.targets.length > 0;
  }

  /** Looks for due events every second from now on, and whenever it is woken. */
  start(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** There may be something to deliver. */
  wake(): void {
    if (this.stopped) return;
    this.takeAgain = true;
    this.taking ??= this.takeDue().finally(() => {
      this.taking = undefined;
      if (this.takeAgain) this.wake();
    });
  }

  /** Resolves when nothing is under way and nothing more was found due. */
  async idle(): Promise<void> {
    while (this.taking || this.underWay.size > 0) await Promise.all([this.taking, ...this.underWay]);
  }

  /** Takes no more, lets deliveries under way end for a while, and gives back those that do not. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    const drainMs = Math.min(this.options.drainMs ?? DRAIN_MS_MAX, DRAIN_MS_MAX);
    const limit = setTimeout(() => this.stopping.cancel(), drainMs);
    await this.idle();
    clearTimeout(limit);
  }

  private async takeDue(): Promise<void> {
    while (this.takeAgain && !this.stopped) {
      this.takeAgain = false;
      const free = this.options.concurrency - this.underWay.size;
      if (free <= 0 || this.now() < this.pausedUntil) return;
      try {
        const events = await this.queue.take(free);
        for (const event of events) this.begin(event);
      } catch (error) {
        this.log.warn({ err: error }, 'events to deliver cannot be read; trying again');
      }
    }
  }

  private begin(event: TakenEvent): void {
    const work = this.deliver(event)
      .catch((error: unknown) =>
        this.log.warn(
          { err: error, eventId: event.id },
          'a delivery cannot be recorded; it will be repeated',
        ),
      )
      .finally(() => {
        this.underWay.delete(work);
        this.wake();
      });
    this.underWay.add(work);
  }

  private async deliver(event: TakenEvent): Promise<void> {
    const wanting = this.targets.filter((target) => target.wants(event));
    if (wanting.length === 0) {
      await this.queue.finish(event, 'stored');
      return;
    }
    const open = wanting.filter(({ name }) => !event.done.includes(name));
    const outcomes = await Promise.all(open.map((target) => target.deliver(event, this.stopping)));
    const done = [
      ...event.done,
      ...open.filter((_, i) => outcomes[i]!.kind === 'delivered').map(({ name }) => name),
    ];
    await this.record(event, done, outcomes);
  }

  private async record(
    event: TakenEvent,
    done: readonly string[],
    outcomes: readonly DeliveryOutcome[],
  ): Promise<void> {
    const faults = outcomes.filter((outcome) => outcome.kind !== 'delivered');
    if (faults.length === 0) {
      await this.queue.finish(event, 'delivered');
      this.metrics.delivery('delivered');
      return;
    }
    if (this.stopping.cancelled) {
      await this.queue.release(event);
      return;
    }
    const retryAfterMs = Math.max(...faults.map((fault) => fault.retryAfterMs ?? 0));
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + retryAfterMs);
    const failure = { reason: faults.map(({ reason }) => reason).join('; '), done };
    const pauseMs = retryPauseMs(event.attempts, this.random(), retryAfterMs);
    const isDead = pauseMs === undefined || faults.every(({ kind }) => kind === 'dead');
    this.metrics.delivery(isDead ? 'dead' : 'failed');
    this.log[isDead ? 'error' : 'warn'](
      {
        eventId: event.id,
        attempts: event.attempts,
        reason: failure.reason,
        retryInMs: isDead ? undefined : pauseMs,
      },
      isDead ? 'event not delivered, and given up' : 'event not delivered; trying again',
    );
    if (isDead) await this.queue.bury(event, failure);
    else await this.queue.retry(event, failure, pauseMs);
  }
}
