import { KEPT_MS } from '../data/event-stream.js';
import { EVENT_TYPES, type EventRecord } from '../data/records.js';
import { TEXT, type Body } from '../http/body-schemas.js';
import { Deliveries } from './deliveries.js';
import { isDeliverable } from './post-webhook.js';
import {
  deliveryOf,
  isFor,
  type Delivery,
  type Replay,
  type ReplayRequest,
  type Subscription,
} from './subscription.js';

/** What a subscription to make says, as JSON Schema has it. */
export const SUBSCRIPTION_MEMBERS = {
  url: TEXT,
  /** Signed when given. */
  secret: TEXT,
  /** Every type by default, one subscription each. */
  eventTypeCodes: { type: 'array', items: { enum: EVENT_TYPES } },
  /** All hirers by default. */
  hirerId: TEXT,
  /** 10 by default. */
  maxEventsPerAttempt: { type: 'integer', minimum: 1, maximum: 10 },
} as const;
/** A subscription to make for a URL. */
export type SubscriptionWish = Body<typeof SUBSCRIPTION_MEMBERS, 'url'>;

/**
 * Subscriptions and replays: decides which events go to whom. Delivery is at least once, in no promised order, with
 * retries.
 */
export class Webhooks extends Deliveries {
  readonly replays = new Map<string, Replay>();

  /** Subscribes a URL. */
  subscribe(wanted: Omit<Subscription, 'id' | 'createdMs' | 'updatedMs' | 'acting'>): Subscription {
    const id = this.world().newId('seekAnzPublicTest:webhookSubscription:events');
    const nowMs = this.clock.now();
    const times = { createdMs: nowMs, updatedMs: nowMs };
    const subscription: Subscription = { ...wanted, ...times, id, acting: deliveryOf(wanted) };
    this.subscriptions.set(id, subscription);
    return subscription;
  }

  /**
   * Subscribes a URL to several types of events at once.
   * @throws RangeError for a URL that webhooks do not go to
   */
  subscribeTo(wish: SubscriptionWish): Subscription[] {
    if (!isDeliverable(wish.url, this.keptFrom)) {
      throw new RangeError(
        'url is https, or http to this machine, except to the playground and to an ops listener.',
      );
    }
    const wanted = {
      schemeId: 'seekAnzPublicTest',
      hirerId: wish.hirerId ?? null,
      url: wish.url,
      maxEventsPerAttempt: wish.maxEventsPerAttempt ?? 10,
      signingAlgorithmCode: wish.secret === undefined ? 'None' : 'SeekHmacSha512',
      secret: wish.secret ?? null,
    } as const;
    const types = wish.eventTypeCodes ?? EVENT_TYPES;
    return types.map((type) => this.subscribe({ eventTypeCode: type, ...wanted }));
  }

  /** Changes how a subscription is delivered. The change shows at once and takes effect after a delay (interface 13). */
  configure(subscription: Subscription, change: Partial<Delivery>): void {
    Object.assign(subscription, change, { updatedMs: this.clock.now() });
    this.clock.after(this.settings.changeDelayMs, () => {
      Object.assign(subscription.acting, change);
    });
  }

  /** Sends an event to every subscription that matches it, if the partner may know of it now. */
  offer(event: EventRecord): void {
    if (!this.isOpen(event)) return;
    for (const subscription of this.subscriptions.values()) {
      if (isFor(subscription, event)) this.enqueue(subscription, event);
    }
  }

  /** Starts delivering past events again; returns immediately. */
  replay(subscription: Subscription, request: ReplayRequest): Replay {
    const id = this.world().newId('seekAnzPublicTest:webhookSubscriptionReplay:events');
    const nowMs = this.clock.now();
    const replay: Replay = {
      id,
      subscriptionId: subscription.id,
      request,
      statusCode: 'Submitted',
      createdMs: nowMs,
      updatedMs: nowMs,
    };
    this.replays.set(id, replay);
    this.background.soon('a replay', () => {
      replay.statusCode = 'Running';
      const events = this.eventsOf(subscription, request);
      for (const event of events) this.enqueue(subscription, event);
      replay.statusCode = 'Completed';
      replay.updatedMs = this.clock.now();
    });
    return replay;
  }

  /** True if the partner may know of an event now. Without a relationship, only a change of relationships is reported. */
  private isOpen({ type, hirerId }: EventRecord): boolean {
    return type === 'HirerRelationshipChanged' || this.world().isRelated(hirerId);
  }

  private eventsOf(subscription: Subscription, request: ReplayRequest): EventRecord[] {
    return this.requestedEvents(request, subscription).filter(
      (event) => isFor(subscription, event) && this.isOpen(event),
    );
  }

  private requestedEvents(request: ReplayRequest, subscription: Subscription): EventRecord[] {
    const kept = this.world().events.since(this.clock.now() - KEPT_MS);
    if (request.typeCode === 'IdReplayRequest') return kept.filter(({ id }) => request.eventIds.includes(id));
    return kept
      .filter(
        ({ createdMs }) =>
          createdMs > Number(request.afterDateTime) && createdMs < Number(request.beforeDateTime),
      )
      .filter(({ hirerId }) => request.hirerId === null || hirerId === request.hirerId)
      .filter(({ id }) => request.replayDeliveredEventsIndicator || !this.isDelivered(id, subscription.id));
  }
}
