import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Cancellation } from '../../http/cancellation.js';
import type { Database } from '../../storage/database.js';
import type { Log } from '../../telemetry/log.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import type { AttemptOutcome, DeliveryAttempt } from '../store/records/delivery-attempts.js';
import type { WebhookMetrics } from '../webhook-metrics.js';
import { DeliveryQueue, type Progress, type TakenEvent } from './delivery-queue.js';
import type { DeliveryRoute } from './delivery-route.js';
import type { DeliverableEvent, DeliveryOutcome, EventTarget } from './event-target.js';
import { attemptedObject } from './objects/delivered-object.js';
import { ObjectStage, SLOW_MS, type DeliveryPlace, type ObjectSource } from './objects/object-stage.js';
import { withoutObject } from './objects/without-object.js';
import { queueOf } from './queue-table.js';
import { retryPauseMs } from './retry-schedule.js';

/** Notices of new events come sooner. */
const POLL_MS = 3_000;
/** While an event waits for another attempt. */
const RETRY_POLL_MS = 1_000;
/** Events of one statement when a target has recovered, so that webhooks can be stored in between. */
const BROUGHT_FORWARD_AT_ONCE = 500;
/** To record the result of an attempt. */
const LEASE_MARGIN_MS = 5_000;
/** Cancelled attempts end at once; recording them waits for the database, which may hang. */
const STOP_MS_MAX = 500;

/** What a {@link DeliveryWorker} is made of. */
export interface WorkerParts {
  readonly route: DeliveryRoute;
  readonly database: Database;
  readonly metrics: WebhookMetrics;
  readonly conditions: Conditions;
  readonly log: Log;
  readonly objects: ObjectSource;
  /** Longest time that an object may take. */
  readonly objectMs: number;
  readonly now: () => number;
  /** A clock in milliseconds that is never set. */
  readonly steadyNow: () => number;
  readonly random: () => number;
}

/** An attempt at one target. */
type Attempt = DeliveryOutcome & Pick<DeliveryAttempt, 'target' | 'time' | 'ms' | 'object'>;

/**
 * Delivers the events in the queue of one sink to its targets, at least once. Targets are retried independently: one that
 * accepted an event, or refused it for good, is not asked again while another still fails. An event is finished when no
 * target is left to ask. First, the event gets its object ({@link ObjectStage}). When a target accepts an event after it
 * failed, what waits for it is due at once. A stop cancels the attempts under way and returns their events to the queue.
 */
export class DeliveryWorker {
  private readonly queue: DeliveryQueue;
  private readonly objectStage: ObjectStage;
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new Cancellation();
  private readonly calls: ReadonlyMap<string, CallReports>;
  /** Targets whose last attempt failed; at first, those that may have failed before the start. */
  private readonly failing: Set<string>;
  private loop: Loop | undefined;
  /** Deliveries under way, without those that wait for a slow object. */
  private placesTaken = 0;
  /** A target asked for a pause until then. */
  private pausedUntil = 0;
  /** When the last event that failed here is due. */
  private retryUntil = 0;

  constructor(private readonly parts: WorkerParts) {
    const { conditions, database, log, now, objects, objectMs, route } = parts;
    const longestMs = Math.max(0, ...route.targets.map(({ timeoutMs }) => timeoutMs));
    const leaseMs = longestMs + SLOW_MS + LEASE_MARGIN_MS;
    this.queue = new DeliveryQueue(database, leaseMs, now, objects.types, queueOf(route.sink));
    this.objectStage = new ObjectStage({ objects, queue: this.queue, log, slowLeaseMs: objectMs + leaseMs });
    const names = route.targets.map(({ name }) => name);
    this.failing = new Set(names);
    this.calls = new Map(names.map((name) => [name, conditions.calls('deliveries-failing', name)]));
  }

  /** Why targets do not accept what this replica delivers to them; empty while all do. */
  get faults(): readonly string[] {
    return [...this.calls.values()].flatMap(({ fault }) => fault ?? []);
  }

  start(): void {
    const { log, route } = this.parts;
    this.loop = every(
      () => (this.parts.steadyNow() < this.retryUntil ? RETRY_POLL_MS : POLL_MS),
      () => this.takeDue(),
      (error) => log.warn({ err: error, sink: route.sink }, 'events to deliver cannot be read; trying again'),
    );
    this.wake();
  }

  /** Looks for due events now rather than at the next poll. */
  wake(): void {
    this.loop?.wake();
  }

  /** Takes as many due events as there are free places, and begins to deliver them. */
  async takeDue(): Promise<void> {
    const { steadyNow, objects, route } = this.parts;
    const free = route.concurrency - this.placesTaken;
    if (free <= 0 || steadyNow() < this.pausedUntil) return;
    const held = { ...objects.held(route.sink), since: objects.heldSince };
    for (const event of await this.queue.take(free, held)) this.begin(event);
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    this.stopping.cancel();
    const ended = Promise.resolve(this.loop?.stop()).then(() => this.idle());
    await within(STOP_MS_MAX, ended);
    await Promise.all(this.parts.route.targets.map((target) => target.close()));
  }

  private begin(event: TakenEvent): void {
    const place = this.takePlace();
    const work = this.deliver(event, place)
      .catch((error: unknown) =>
        this.parts.log.warn(
          { err: error, eventId: event.id },
          'a delivery cannot be recorded; it will be repeated',
        ),
      )
      .finally(() => {
        this.underWay.delete(work);
        place.leave();
      });
    this.underWay.add(work);
  }

  private takePlace(): DeliveryPlace {
    const place = {
      leave: () => {
        this.placesTaken -= 1;
        this.wake();
      },
      enter: () => {
        this.placesTaken += 1;
      },
    };
    place.enter();
    return place;
  }

  private async deliver(event: TakenEvent, place: DeliveryPlace): Promise<void> {
    const wanting = this.parts.route.targets.filter((target) => target.wants(event));
    if (wanting.length === 0 || event.payload === '') {
      await this.queue.finish(event, 'stored');
      return;
    }
    const ready = await this.objectStage.prepare(event, place, this.stopping);
    if (!ready) return;
    const left = wanting.filter(({ name }) => !event.done.includes(name) && !event.refused.includes(name));
    const attempts = await Promise.all(left.map((target) => this.attempt(target, ready)));
    if (!this.stopping.cancelled) for (const attempt of attempts) this.judge(attempt);
    await this.record(event, attempts);
    for (const { kind, target } of attempts) {
      if (kind === 'failed') this.failing.add(target);
      else if (kind === 'delivered' && this.failing.delete(target)) await this.bringForward(target);
    }
  }

  private async attempt(target: EventTarget, event: DeliverableEvent): Promise<Attempt> {
    const time = this.parts.now();
    const begunAt = this.parts.steadyNow();
    const outcome = await target
      .deliver(event, this.stopping)
      .catch((error: unknown) => this.failed(target, error, event));
    const ms = Math.round(this.parts.steadyNow() - begunAt);
    const sent = outcome.sentObject ?? event.object;
    const object = sent && attemptedObject(sent);
    const answer = outcome.answer && withoutObject(outcome.answer, event.object?.object);
    return { ...outcome, answer, target: target.name, time, ms, object };
  }

  /** A fault of ours; without an outcome the event would come again for ever. */
  private failed({ name }: EventTarget, error: unknown, { id }: DeliverableEvent): DeliveryOutcome {
    this.parts.log.error({ err: error, eventId: id, target: name }, 'an event cannot be sent');
    return { kind: 'failed', reason: `${name}: it cannot be sent` };
  }

  private async bringForward(target: string): Promise<void> {
    this.retryUntil = 0;
    let brought = BROUGHT_FORWARD_AT_ONCE;
    while (brought === BROUGHT_FORWARD_AT_ONCE && !this.stopping.cancelled) {
      brought = await this.queue.bringForward(target, BROUGHT_FORWARD_AT_ONCE);
      if (brought > 0) this.wake();
    }
  }

  /** A target that refuses an event for good has answered: that says something of the event. */
  private judge(attempt: Attempt): void {
    const calls = this.calls.get(attempt.target)!;
    if (attempt.kind === 'failed') calls.failed(attempt.reason.replace(`${attempt.target}: `, ''));
    else calls.succeeded();
  }

  private async record(event: TakenEvent, attempts: readonly Attempt[]): Promise<void> {
    const progress = {
      done: [...event.done, ...targetsOf(attempts, 'delivered')],
      refused: [...event.refused, ...targetsOf(attempts, 'dead')],
    };
    const isOpen = attempts.some(({ kind }) => kind === 'failed');
    if (isOpen && this.stopping.cancelled) {
      await this.queue.release(event, progress, this.kept(attempts));
    } else if (isOpen || progress.refused.length > 0) {
      await this.recordFailure(event, attempts, progress, isOpen);
    } else {
      await this.queue.finish(event, 'delivered', this.kept(attempts));
      this.parts.metrics.delivery(this.parts.route.sink, 'delivered');
    }
  }

  /** @param isOpen whether a target is left to ask */
  private async recordFailure(
    event: TakenEvent,
    attempts: readonly Attempt[],
    progress: Progress,
    isOpen: boolean,
  ): Promise<void> {
    const { log, metrics, random, route, steadyNow } = this.parts;
    const faults = attempts.filter((attempt) => attempt.kind !== 'delivered');
    const retryAfterMs = Math.max(0, ...faults.map((fault) => fault.retryAfterMs ?? 0));
    this.pausedUntil = Math.max(this.pausedUntil, steadyNow() + retryAfterMs);
    const failed = event.attempts - event.scheduleStart;
    const pauseMs = isOpen ? retryPauseMs(route.retrySeconds, failed, random(), retryAfterMs) : undefined;
    const reasons = [...faults.map((fault) => fault.reason), ...event.refused.map(refusedEarlier)];
    const failure = { ...progress, reason: reasons.join('; ') };
    const isDead = pauseMs === undefined;
    log[isDead ? 'error' : 'warn'](
      {
        eventId: event.id,
        sink: route.sink,
        attempts: event.attempts,
        reason: failure.reason,
        retryInMs: pauseMs,
      },
      isDead ? 'event not delivered; no further attempts' : 'event not delivered; trying again',
    );
    if (isDead) await this.queue.bury(event, failure, this.kept(attempts));
    else await this.queue.retry(event, failure, pauseMs, this.kept(attempts));
    metrics.delivery(route.sink, isDead ? 'dead' : 'failed');
    this.retryUntil = Math.max(this.retryUntil, steadyNow() + (pauseMs ?? 0) + POLL_MS);
  }

  /** What the store keeps of attempts. */
  private kept(attempts: readonly Attempt[]): DeliveryAttempt[] {
    return attempts.map(({ kind, target, time, ms, status, answer, object, ...rest }) => {
      const isCut = kind === 'failed' && this.stopping.cancelled;
      const outcome: AttemptOutcome = isCut ? 'cancelled' : kind;
      const reason = 'reason' in rest ? rest.reason : undefined;
      return { time, ms, target, outcome, status, answer: answer || undefined, reason, object };
    });
  }
}

function targetsOf(attempts: readonly Attempt[], kind: DeliveryOutcome['kind']): string[] {
  return attempts.filter((attempt) => attempt.kind === kind).map(({ target }) => target);
}

function refusedEarlier(target: string): string {
  return `${target} refused it earlier`;
}
