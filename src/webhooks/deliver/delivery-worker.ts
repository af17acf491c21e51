import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { StoreError } from '../../errors/store-error.js';
import { Cancellation } from '../../http/request-context.js';
import type { Database } from '../../storage/database.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import type { Log } from '../../telemetry/log.js';
import { appendAttempt, Deliveries, type Claimed, type DeliveryReport } from '../store/deliveries.js';
import type { EventNotices } from '../store/event-notices.js';
import { wants } from '../store/event-sinks.js';
import type { WebhookMetrics } from '../webhook-metrics.js';
import type { ObjectSource } from './event-objects.js';
import type { ObjectOutcome } from './read-object.js';
import type { DeliverableEvent, DeliveryOutcome, Sink } from './sinks/sink.js';

/** New events are noticed sooner. */
const POLL_MS = 1_000;
/** While as many objects are fetched, no event is claimed. */
const FETCHED_MAX = 32;
/** To record the result of an attempt. */
const LEASE_MARGIN_MS = 5_000;
/** Cancelled attempts end immediately. Recording them waits for the database, which may hang. */
const STOP_MS_MAX = 500;
/** How soon a replica whose attempts succeed makes due what failed at another. */
const RECOVER_MS = 5_000;
/** Share by which a pause is randomly lengthened or shortened, so that events that failed together spread out. */
export const RETRY_JITTER = 0.2;

/** Of a service; a test has its own. */
export const CLOCKS = {
  /** Epoch milliseconds. */
  now: Date.now,
  /** Milliseconds of a clock that is never set. */
  steadyNow: () => performance.now(),
  /** From 0 to 1. */
  random: Math.random,
};

type WorkerParts = typeof CLOCKS & {
  readonly sink: Sink;
  readonly database: Database;
  readonly notices: EventNotices;
  readonly metrics: WebhookMetrics;
  readonly conditions: Conditions;
  readonly log: Log;
  /** Undefined for a sink that wants events without their objects. */
  readonly objects: ObjectSource | undefined;
  readonly objectMs: number;
};

/** `time` is when it began, epoch milliseconds. */
type Attempt = DeliveryOutcome & { readonly time: number; readonly ms: number };

/**
 * Delivers the events in the queue of one sink, at least once. An event that waits for its object takes no place among
 * the deliveries. When the sink accepts an event after it failed, everything that waits for it is due.
 */
export class DeliveryWorker {
  private readonly name: string;
  private readonly leaseMs: number;
  private readonly deliveries: Deliveries;
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new Cancellation();
  private readonly calls: CallReports;
  private loop: Loop | undefined;
  private fetching = 0;
  private sending = 0;
  /** Take the places that become free among the deliveries. */
  private readonly waiting: (() => void)[] = [];
  /** True if more may be due than was claimed. */
  private isBehind = true;
  /** When a recovery ended, since when no attempt has failed here; another replica's may have. */
  private recoveredAt = -Infinity;
  /** The sink asked for a pause until then. */
  private pausedUntil = 0;

  constructor(private readonly parts: WorkerParts) {
    const { conditions, database, objectMs, objects, sink } = parts;
    const { name, timeoutMs } = sink.settings;
    const attemptMs = objects ? 2 * timeoutMs : timeoutMs; // what is too large is sent again, without its object
    this.leaseMs = attemptMs + LEASE_MARGIN_MS + (objects ? objectMs : 0);
    this.name = name;
    this.deliveries = new Deliveries(database, name, this.leaseMs);
    this.calls = conditions.calls('deliveries-failing', sink.label);
  }

  start(): void {
    const onError = (err: unknown): void => {
      const level = err instanceof StoreError ? 'debug' : 'warn'; // a store that fails is a condition
      this.parts.log[level]({ err, sink: this.name }, 'events to deliver cannot be read; trying again');
    };
    this.loop = every(POLL_MS, () => this.takeDue(), onError);
    this.parts.notices.listen(() => this.wake());
    this.wake();
  }

  wake(): void {
    this.isBehind = true;
    this.loop?.wake();
  }

  /** Claims as many due events as there are free places, and begins to deliver them, the oldest first. */
  async takeDue(): Promise<void> {
    const { concurrency } = this.parts.sink.settings;
    const free = this.fetching < FETCHED_MAX ? concurrency - this.sending : 0;
    if (free <= 0 || this.parts.steadyNow() < this.pausedUntil) return;
    this.isBehind = false;
    const claimed = await this.deliveries.claim(free);
    if (claimed.length === free) this.isBehind = true;
    for (const event of claimed) this.begin(event);
    if (this.isBehind) this.loop?.wake(); // an object takes no place
  }

  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    this.stopping.cancel();
    const ended = Promise.resolve(this.loop?.stop()).then(() => this.idle());
    await within(STOP_MS_MAX, Promise.all([this.parts.sink.close(), ended]));
  }

  private begin(event: Claimed): void {
    const work = this.deliver(event)
      .catch((err: unknown) =>
        this.parts.log.warn({ err, eventId: event.id }, 'a delivery cannot be recorded; it will be repeated'),
      )
      .finally(() => {
        this.underWay.delete(work);
        if (this.isBehind) this.loop?.wake();
      });
    this.underWay.add(work);
  }

  private async deliver(event: Claimed): Promise<void> {
    const { objectMs, objects, sink, steadyNow } = this.parts;
    const { payload } = event;
    if (payload === null || !wants(sink.settings, event)) return this.deliveries.withdraw(event);
    const leftAt = steadyNow() + LEASE_MARGIN_MS + (objects ? objectMs : 0);
    let object: ObjectOutcome | undefined;
    if (objects?.has(event)) {
      this.fetching += 1;
      object = await objects.fetch(event, this.stopping).finally(() => (this.fetching -= 1));
    }
    if (object?.kind === 'waiting') return this.postpone(event, object);
    await this.enter();
    try {
      const mustWait = steadyNow() > leftAt || steadyNow() < this.pausedUntil; // or the lease would end meanwhile
      if (this.stopping.cancelled || mustWait) return await this.release(event);
      await this.record(event, await this.attempt({ ...event, payload, ...(object && { object }) }));
    } finally {
      this.sending -= 1;
      this.waiting.shift()?.();
    }
  }

  private async enter(): Promise<void> {
    const { concurrency } = this.parts.sink.settings;
    while (this.sending >= concurrency) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.sending += 1;
  }

  private async attempt(event: DeliverableEvent): Promise<Attempt> {
    const { log, now, sink, steadyNow } = this.parts;
    const [time, begunAt] = [now(), steadyNow()];
    const outcome = await sink.deliver(event, this.stopping).catch((error: unknown): DeliveryOutcome => {
      // our fault; without an outcome the event would be retried for ever
      log.error({ err: error, eventId: event.id, sink: this.name }, 'an event cannot be sent');
      return { kind: 'failed', reason: `${sink.label}: it cannot be sent` };
    });
    return { ...outcome, time, ms: Math.round(steadyNow() - begunAt) };
  }

  private async record(event: Claimed, attempt: Attempt): Promise<void> {
    const { kind, time, ms, status, reason } = attempt;
    const isCancelled = kind === 'failed' && this.stopping.cancelled;
    const outcome = isCancelled ? 'cancelled' : kind;
    const history = appendAttempt(event.history, { time, ms, outcome, status, reason });
    if (isCancelled) return this.release(event, { history });
    if (kind !== 'delivered') return this.recordFailure(event, attempt, history);
    this.calls.succeeded();
    await this.report(event, { state: 'delivered', lastFailure: null, history });
    this.parts.metrics.delivery(this.name, 'delivered');
    if (this.parts.steadyNow() - this.recoveredAt >= RECOVER_MS) await this.recover();
  }

  private async recordFailure(event: Claimed, attempt: DeliveryOutcome, history: string): Promise<void> {
    const { log, metrics, random, sink, steadyNow } = this.parts;
    const { kind, reason = '', retryAfterMs = 0 } = attempt;
    // a final refusal is an answer, and concerns the event only
    if (kind === 'dead') this.calls.succeeded();
    else this.calls.failed(reason.replace(`${sink.label}: `, ''));
    if (kind === 'failed') this.recoveredAt = -Infinity;
    this.pausedUntil = Math.max(this.pausedUntil, steadyNow() + retryAfterMs);
    const failures = event.failures + 1;
    const pauses = kind === 'dead' ? [] : sink.settings.retrySeconds;
    const pauseMs = retryPauseMs(pauses, failures, random(), retryAfterMs);
    const state = pauseMs === undefined ? 'dead' : 'failed';
    const { id: eventId, attempts } = event;
    const fields = { eventId, sink: this.name, attempts, reason, retryInMs: pauseMs };
    if (state === 'dead') log.error(fields, 'event not delivered; no further attempts');
    else log.warn(fields, 'event not delivered; trying again');
    await this.report(event, { state, failures, lastFailure: reason, pauseMs: pauseMs ?? null, history });
    metrics.delivery(this.name, state);
  }

  private async postpone(event: Claimed, waiting: ObjectOutcome & { kind: 'waiting' }): Promise<void> {
    if (this.stopping.cancelled) return this.release(event);
    const { reason, pauseMs } = waiting;
    const fields = { eventId: event.id, reason, retryInMs: pauseMs };
    this.parts.log.warn(fields, 'the object of an event is not available yet');
    await this.release(event, { lastFailure: `object: ${reason}`, pauseMs });
  }

  /** Returns the event to the queue, by default because of a stop: due at once. The attempt does not count. */
  private release(event: Claimed, changes: Partial<DeliveryReport> = {}): Promise<void> {
    return this.report(event, { attempts: event.attempts - 1, pauseMs: 0, ...changes });
  }

  private async report(event: Claimed, changes: Partial<DeliveryReport>): Promise<void> {
    await this.deliveries.report(event, { ...event, pauseMs: null, ...changes });
  }

  private async recover(): Promise<void> {
    for (let areMore = true; areMore && !this.stopping.cancelled;) {
      areMore = await this.deliveries.recover();
      this.wake();
    }
    this.recoveredAt = this.parts.steadyNow();
  }
}

/**
 * The pause after that many failed attempts, in milliseconds, at least what the receiver asked for; undefined when
 * there is no further one. `random` is from 0 to 1.
 */
export function retryPauseMs(
  pausesSeconds: readonly number[],
  failures: number,
  random: number,
  atLeastMs = 0,
): number | undefined {
  const seconds = pausesSeconds[failures - 1];
  if (seconds === undefined) return undefined;
  return Math.max(Math.round(seconds * 1_000 * (1 + RETRY_JITTER * (2 * random - 1))), atLeastMs);
}
