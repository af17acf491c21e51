import { UserBudget } from '../../../concurrency/user-budget.js';
import { LATE, within } from '../../../concurrency/within.js';
import { BffError } from '../../../errors/bff-error.js';
import { Cancellation } from '../../../http/cancellation.js';
import type { Claimed } from '../../store/deliveries.js';
import type { Places } from '../places.js';
import type { ObjectOutcome } from './delivered-object.js';
import type { EventObjects } from './event-objects.js';

/** After this time, an event whose object is not there gives its place among the deliveries up. */
const SLOW_MS = 1_000;
/** Events that may then still wait for their objects, of one hirer and of all. */
const SLOW_PER_HIRER_MAX = 8;
const SLOW_MAX = 32;

/** The part of {@link EventObjects} that deliveries use. */
export type ObjectSource = Pick<EventObjects, 'has' | 'fetch' | 'late'>;

/**
 * The first stage of a delivery: the event gets its object, or has to wait. A fetch that takes long leaves its place among
 * the deliveries, so that it holds up no other event, and is ended where too many do.
 */
export class ObjectStage {
  private readonly aside = new UserBudget({
    perUserMax: SLOW_PER_HIRER_MAX,
    totalMax: SLOW_MAX,
    what: 'slow objects of events',
  });

  constructor(
    private readonly objects: ObjectSource,
    private readonly places: Places,
  ) {}

  /** The event holds a place, and does so again when this resolves. */
  async fetch(event: Claimed, stopping: Cancellation): Promise<ObjectOutcome> {
    const attempt = new Cancellation();
    const stop = (): void => attempt.cancel();
    stopping.onCancel(stop);
    try {
      const fetching = this.objects.fetch(event, attempt);
      const early = await within(SLOW_MS, fetching);
      if (early !== LATE) return early;
      if (await this.waitAside(event, fetching)) return await fetching;
      attempt.cancel();
      return this.objects.late(event);
    } finally {
      stopping.offCancel(stop);
    }
  }

  /** @returns false if too many wait already */
  private async waitAside({ hirerId }: Claimed, fetching: Promise<ObjectOutcome>): Promise<boolean> {
    const hirer = hirerId ?? '';
    try {
      this.aside.take(hirer);
    } catch (error) {
      if (error instanceof BffError) return false;
      throw error;
    }
    this.places.leave();
    try {
      await fetching;
      return true;
    } finally {
      this.aside.release(hirer);
      await this.places.wait();
    }
  }
}
