import { UserBudget } from '../../../concurrency/user-budget.js';
import { LATE, within } from '../../../concurrency/within.js';
import { BffError } from '../../../errors/bff-error.js';
import { Cancellation } from '../../../http/cancellation.js';
import type { Log } from '../../../telemetry/log.js';
import type { DeliveryQueue, TakenEvent } from '../delivery-queue.js';
import type { DeliverableEvent } from '../event-target.js';
import type { ObjectOutcome } from './delivered-object.js';
import type { EventObjects } from './event-objects.js';
import { ObjectFlights } from './object-flights.js';

/** After this time, an event whose object is not there gives its place among the deliveries back. */
export const SLOW_MS = 1_000;
/** Events that may then still wait for their objects, of one hirer and of all. */
const SLOW_PER_HIRER_MAX = 8;
const SLOW_MAX = 32;
/** Events of one statement when the upstream has recovered, so that webhooks can be stored in between. */
const BROUGHT_FORWARD_AT_ONCE = 500;

/** The part of {@link EventObjects} that deliveries use. */
export type ObjectSource = Pick<
  EventObjects,
  'types' | 'has' | 'fetch' | 'late' | 'held' | 'heldSince' | 'isRecovery' | 'recovered'
>;

/** The place that a delivery has among those under way. */
export interface DeliveryPlace {
  /** Gives the place to another delivery. */
  leave(): void;
  /** Takes a place again, even beyond the bound. */
  enter(): void;
}

/** What an {@link ObjectStage} is made of. */
interface StageParts {
  readonly objects: ObjectSource;
  readonly queue: Pick<DeliveryQueue, 'postpone' | 'putBack' | 'release' | 'extend' | 'bringForwardObjects'>;
  readonly log: Pick<Log, 'warn'>;
  /** For how long an event may be away for its object. */
  readonly slowLeaseMs: number;
}

/**
 * The first stage of a delivery: the event gets its object, or waits in the store until it is due again. One that takes
 * long leaves its place among the deliveries, so that it holds up no other.
 */
export class ObjectStage {
  private readonly aside = new UserBudget({
    perUserMax: SLOW_PER_HIRER_MAX,
    totalMax: SLOW_MAX,
    what: 'slow objects of events',
  });

  private readonly flights = new ObjectFlights();

  constructor(private readonly parts: StageParts) {}

  /** The event with what goes with it; undefined when it was returned to the queue, or is no longer ours. */
  async prepare(
    event: TakenEvent,
    place: DeliveryPlace,
    stopping: Cancellation,
  ): Promise<DeliverableEvent | undefined> {
    const { objects, queue, log } = this.parts;
    if (!objects.has(event)) return event;
    const hirer = hirerOf(event);
    const { outcome, isRecovery, isOvertaken } = await this.flights.run(hirer, async (flight) => {
      const got = await this.obtain(event, place, stopping);
      const recovers = got !== undefined && !stopping.cancelled && objects.isRecovery(event, got);
      if (recovers) this.flights.overtake(hirer);
      return { outcome: got, isRecovery: recovers, isOvertaken: flight.isOvertaken && !recovers };
    });
    if (stopping.cancelled) {
      await queue.release(event, event);
      return undefined;
    }
    if (!outcome) return undefined;
    if (isOvertaken) {
      await queue.putBack(event);
      return undefined;
    }
    if (outcome.kind === 'waiting') {
      const { reason, pauseMs } = outcome;
      log.warn({ eventId: event.id, reason, retryInMs: pauseMs }, 'the object of an event cannot be had yet');
      await queue.postpone(event, reason, pauseMs);
      return undefined;
    }
    if (isRecovery && (await this.bringForward(event))) {
      await queue.putBack(event);
      return undefined;
    }
    return { ...event, object: outcome };
  }

  /** Undefined when the lease of the event was lost meanwhile. */
  private async obtain(
    event: TakenEvent,
    place: DeliveryPlace,
    stopping: Cancellation,
  ): Promise<ObjectOutcome | undefined> {
    const attempt = new Cancellation();
    const stop = (): void => attempt.cancel();
    stopping.onCancel(stop);
    try {
      const fetching = this.parts.objects.fetch(event, attempt);
      const early = await within(SLOW_MS, fetching);
      return early === LATE ? await this.waitAside(event, place, fetching, attempt) : early;
    } finally {
      stopping.offCancel(stop);
    }
  }

  private async waitAside(
    event: TakenEvent,
    place: DeliveryPlace,
    fetching: Promise<ObjectOutcome>,
    attempt: Cancellation,
  ): Promise<ObjectOutcome | undefined> {
    const hirer = hirerOf(event);
    if (!this.takeAside(hirer)) {
      attempt.cancel();
      return this.parts.objects.late(event);
    }
    place.leave();
    try {
      if (await this.parts.queue.extend(event, this.parts.slowLeaseMs)) return await fetching;
      attempt.cancel();
      return undefined;
    } finally {
      this.aside.release(hirer);
      place.enter();
    }
  }

  private takeAside(hirer: string): boolean {
    try {
      this.aside.take(hirer);
      return true;
    } catch (error) {
      if (error instanceof BffError) return false;
      throw error;
    }
  }

  /** Makes the hirer's other events due that wait. @returns true if one of them came before this one */
  private async bringForward(event: TakenEvent): Promise<boolean> {
    const { flights, parts } = this;
    try {
      let hasEarlier = false;
      for (;;) {
        const brought = await parts.queue.bringForwardObjects(event.hirerId!, BROUGHT_FORWARD_AT_ONCE);
        hasEarlier ||= brought.some((one) => one < event.sequence);
        if (brought.length < BROUGHT_FORWARD_AT_ONCE) return hasEarlier;
      }
    } finally {
      flights.overtake(hirerOf(event)); // taken while the others became due
      parts.objects.recovered(event);
    }
  }
}

function hirerOf({ hirerId }: TakenEvent): string {
  return hirerId ?? '';
}
