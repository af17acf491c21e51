import type { Background } from '../background.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { Deliveries, type DeliveryState } from './deliveries.js';
import type { DeliveryMischief, DeliverySettings } from './delivery-settings.js';
import {
  deliveryOf,
  isFor,
  type Delivery,
  type Replay,
  type ReplayRequest,
  type Subscription,
  type WebhookRequest,
} from './subscription.js';

/** The subscriptions, replays and deliveries that are kept across a restart. */
export interface WebhookState extends DeliveryState {
  readonly subscriptions: readonly Subscription[];
  readonly replays: readonly Replay[];
}

/**
 * Subscriptions and replays: decides which events go to whom, and hands them to {@link Deliveries}. Delivery is at least
 * once, in no promised order, with retries.
 */
export class Webhooks {
  readonly subscriptions = new Map<string, Subscription>();
  readonly replays = new Map<string, Replay>();
  private readonly deliveries: Deliveries;

  constructor(
    private readonly world: () => World,
    private readonly clock: PlaygroundClock,
    readonly settings: DeliverySettings,
    private readonly changeDelayMs: () => number,
    touch: () => void,
    private readonly background: Background,
    /** Ports of this machine that webhooks never go to. */
    readonly keptFrom: ReadonlySet<number>,
  ) {
    this.deliveries = new Deliveries(world, clock, settings, this.subscriptions, touch, background, keptFrom);
  }

  /** The last requests to subscribers, oldest first. */
  get requests(): readonly WebhookRequest[] {
    return this.deliveries.requests;
  }

  get mischief(): Readonly<DeliveryMischief> {
    return this.deliveries.mischief;
  }

  /** Subscribes a URL, permanently or for a time. With the id of an earlier subscription, it replaces that one. */
  subscribe(
    wanted: Omit<Subscription, 'id' | 'createdMs' | 'updatedMs' | 'expiresMs' | 'acting'>,
    lifetimeMs?: number,
    id = this.world().newId('seekAnzPublicTest:webhookSubscription:events'),
  ): Subscription {
    const nowMs = this.clock.now();
    const expiresMs = lifetimeMs === undefined ? null : nowMs + lifetimeMs;
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
    return this.add({ ...wanted, ...times, id, acting: deliveryOf(wanted) });
  }

  /** Ends every subscription of a URL, and returns them. */
  unsubscribe(url: string): Subscription[] {
    const ended = [...this.subscriptions.values()].filter((subscription) => subscription.url === url);
    for (const { id } of ended) this.subscriptions.delete(id);
    return ended;
  }

  /** Changes how a subscription is delivered. The change shows at once and takes effect after a delay (interface 13). */
  configure(subscription: Subscription, change: Partial<Delivery>): void {
    Object.assign(subscription, change, { updatedMs: this.clock.now() });
    this.clock.after(this.changeDelayMs(), () => {
      Object.assign(subscription.acting, change);
    });
  }

  /** Restores what was kept before a restart. Changes to subscriptions take effect at once. */
  restore({ subscriptions, replays, ...deliveries }: WebhookState): void {
    for (const replay of replays) this.replays.set(replay.id, replay);
    for (const subscription of subscriptions) this.add({ ...subscription, acting: deliveryOf(subscription) });
    this.deliveries.restore(deliveries);
  }

  /** The state to keep across a restart. */
  dump(): Required<WebhookState> {
    return {
      subscriptions: [...this.subscriptions.values()],
      replays: [...this.replays.values()],
      ...this.deliveries.dump(),
    };
  }

  /** Sends an event to every subscription that matches it, if the partner may know of it now. */
  offer(event: EventRecord): void {
    if (!this.isOpen(event)) return;
    for (const subscription of this.subscriptions.values()) {
      if (isFor(subscription, event)) this.deliveries.enqueue(subscription, event);
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
      for (const event of events) this.deliveries.enqueue(subscription, event);
      replay.statusCode = 'Completed';
      replay.updatedMs = this.clock.now();
    });
    return replay;
  }

  /** True if a subscriber has accepted an event. */
  isDelivered(eventId: string, subscriptionId: string): boolean {
    return this.deliveries.isDelivered(eventId, subscriptionId);
  }

  setMischief(mischief: Partial<DeliveryMischief>): void {
    this.deliveries.setMischief(mischief);
  }

  /** Resolves when no delivery is in progress; scheduled retries do not count. */
  settled(): Promise<void> {
    return this.deliveries.settled();
  }

  /** Sends nothing more, and aborts the requests in flight; their events stay pending in `dump`. */
  close(): Promise<void> {
    return this.deliveries.close();
  }

  private add(subscription: Subscription): Subscription {
    const { id, expiresMs } = subscription;
    this.subscriptions.set(id, subscription);
    if (expiresMs !== null) this.clock.at(expiresMs, () => void this.subscriptions.delete(id));
    return subscription;
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
    const { events } = this.world();
    if (request.kind === 'ids') return events.withIds(request.eventIds);
    return events
      .since(0)
      .filter(({ createdMs }) => createdMs > request.afterMs && createdMs < request.beforeMs)
      .filter(({ hirerId }) => request.hirerId === null || hirerId === request.hirerId)
      .filter(({ id }) => request.includesDelivered || !this.isDelivered(id, subscription.id));
  }
}
