import { UserBudget } from '../../../concurrency/user-budget.js';
import { LATE, within } from '../../../concurrency/within.js';
import { BffError } from '../../../errors/bff-error.js';
import { Cancellation } from '../../../http/cancellation.js';
import type { Claimed } from '../../store/deliveries.js';
import type { ObjectOutcome } from './read-object.js';
import type { EventObjects } from './event-objects.js';

/** After this time, an event that waits for its object gives up its place among the deliveries. */
const SLOW_MS = 1_000;
/** Events that may then still wait for their objects, of one hirer and of all. */
const SLOW_PER_HIRER_MAX = 8;
const SLOW_MAX = 32;

/**
 * Bounds deliveries under way. A delivery that waits for something else gives up its place, and then waits for one
 * again, in order.
 */
export class Places {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param onFree called when a place is free that nobody waits for */
  constructor(
    private readonly max: number,
    private readonly onFree: () => void,
  ) {}

  get free(): number {
    return this.max - this.taken;
  }

  /** Takes one of the {@link free} places. */
  take(): void {
    this.taken += 1;
  }

  /** Takes the next place that is given up. */
  async wait(): Promise<void> {
    if (this.free > 0) return this.take();
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) return next();
    this.taken -= 1;
    this.onFree();
  }
}

/** The part of {@link EventObjects} that deliveries use. */
export type ObjectSource = Pick<EventObjects, 'has' | 'fetch' | 'late'>;

/**
 * The first stage of a delivery: the event gets its object, or has to wait. A slow fetch gives up its place among the
 * deliveries, so that it delays no other event. If too many do, it is ended.
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
