import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Background } from '../background.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { postWebhook } from './post-webhook.js';
import {
  deliveryOf,
  isFor,
  pendingOf,
  type Delivery,
  type PendingDelivery,
  type Replay,
  type ReplayRequest,
  type Subscription,
  type WebhookRequest,
} from './subscription.js';
import { makeWebhookBody, signWebhookBody } from './webhook-body.js';

/** How events are delivered, where the interface leaves it open. */
export interface DeliverySettings {
  /** Waits before the second, third, … attempt; after the last one the events are dropped. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  contentType: string;
  userAgent: string;
  /** In any case: receivers match names case-insensitively (interface.md 6). */
  signatureHeader: string;
}

/** The settings of a playground that was started without any: six retries over more than an hour. */
export const DEFAULT_DELIVERY: Readonly<DeliverySettings> = {
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000],
  timeoutMs: 10_000,
  contentType: 'application/json; charset=utf-8',
  userAgent: 'Playground-Webhooks/1.0',
  signatureHeader: 'Seek-Signature',
};

/** Mischief to make with the next deliveries. */
export interface DeliveryMischief {
  /** How many requests are sent twice. */
  duplicateNext: number;
  /** How many flushes send their events in reverse order. */
  reorderNext: number;
  /** Keep events back until set to false. */
  paused: boolean;
}

/** What is kept of subscriptions across a restart. */
export interface WebhookState {
  readonly subscriptions: readonly Subscription[];
  readonly requests: readonly WebhookRequest[];
  readonly replays: readonly Replay[];
  /** Absent from what earlier versions kept. */
  readonly pending?: readonly PendingDelivery[];
}

/** How many requests are remembered, and how many of them across a restart. */
const REQUESTS_MAX = 10_000;
const REQUESTS_KEPT = 1_000;

/** Subscriptions, and the delivery of events to them: at least once, in no promised order, with retries. */
export class Webhooks {
  readonly subscriptions = new Map<string, Subscription>();
  readonly replays = new Map<string, Replay>();
  readonly requests: WebhookRequest[] = [];
  readonly mischief: DeliveryMischief = { duplicateNext: 0, reorderNext: 0, paused: false };
  private readonly waiting = new Map<Subscription, EventRecord[]>();
  private readonly pending = new Set<PendingDelivery>();
  private readonly busy = new Set<Promise<void>>();
  private readonly closing = new AbortController();

  constructor(
    private readonly world: () => World,
    private readonly clock: PlaygroundClock,
    readonly settings: DeliverySettings,
    private readonly changeDelayMs: () => number,
    private readonly touch: () => void,
    private readonly background: Background,
    /** Ports of this machine that webhooks never go to. */
    readonly keptFrom: ReadonlySet<number>,
  ) {}

  /** Subscribes a URL, for good or for a time; with the id of an earlier subscription, in its place. */
  subscribe(
    wanted: Omit<Subscription, 'id' | 'createdMs' | 'updatedMs' | 'expiresMs' | 'acting'>,
    lifetimeMs?: number,
    id = this.world().newId('seekAnzPublicTest:webhookSubscription:events'),
  ): Subscription {
    const nowMs = this.clock.now();
    const expiresMs = lifetimeMs === undefined ? null : nowMs + lifetimeMs;
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
    const subscription = { ...wanted, ...times, id, acting: deliveryOf(wanted) };
    if (expiresMs !== null) this.clock.at(expiresMs, () => void this.subscriptions.delete(id));
    this.subscriptions.set(id, subscription);
    return subscription;
  }

  /** Ends every subscription of a URL, and returns them. */
  unsubscribe(url: string): Subscription[] {
    const ended = [...this.subscriptions.values()].filter((subscription) => subscription.url === url);
    for (const { id } of ended) this.subscriptions.delete(id);
    return ended;
  }

  /** Takes over what was kept before a restart. Changes act at once; what was not delivered is sent when it is due. */
  restore({ subscriptions, requests, replays, pending = [] }: WebhookState): void {
    this.requests.push(...requests);
    for (const replay of replays) this.replays.set(replay.id, replay);
    for (const subscription of subscriptions) {
      const { id, expiresMs } = subscription;
      this.subscriptions.set(id, { ...subscription, acting: deliveryOf(subscription) });
      if (expiresMs !== null) this.clock.at(expiresMs, () => void this.subscriptions.delete(id));
    }
    for (const delivery of pending) this.plan(delivery);
  }

  /** What to keep across a restart. */
  dump(): Required<WebhookState> {
    const dueMs = this.clock.now();
    const held = [...this.waiting].map(([{ id }, events]) => pendingOf(id, events, 0, dueMs));
    return {
      subscriptions: [...this.subscriptions.values()],
      requests: this.requests.slice(-REQUESTS_KEPT),
      replays: [...this.replays.values()],
      pending: [...this.pending, ...held],
    };
  }

  /** Changes how a subscription is delivered. It shows at once and acts after a delay, as upstream (interface 13). */
  configure(subscription: Subscription, change: Partial<Delivery>): void {
    Object.assign(subscription, change, { updatedMs: this.clock.now() });
    this.clock.after(this.changeDelayMs(), () => {
      Object.assign(subscription.acting, change);
    });
  }

  /** Hands an event to every subscription that is for it and whose hirer is related now. */
  offer(event: EventRecord): void {
    if (!this.isOpen(event)) return;
    for (const subscription of this.subscriptions.values()) {
      if (isFor(subscription, event)) this.enqueue(subscription, event);
    }
  }

  /** Whether the partner may learn of an event now: only a change of relationships is told without one. */
  private isOpen({ type, hirerId }: EventRecord): boolean {
    return type === 'HirerRelationshipChanged' || this.world().isRelated(hirerId);
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

  /** Whether an event has reached a subscriber. */
  isDelivered(eventId: string, subscriptionId: string): boolean {
    return this.requests.some(
      ({ outcome, attempts }) =>
        outcome === 'Success' &&
        attempts.some((attempt) => attempt.eventId === eventId && attempt.subscriptionId === subscriptionId),
    );
  }

  setMischief(mischief: Partial<DeliveryMischief>): void {
    Object.assign(this.mischief, mischief);
    if (!this.mischief.paused) this.flush();
  }

  /** Resolves when no delivery is in progress; scheduled retries do not count. */
  async settled(): Promise<void> {
    await setImmediate();
    while (this.busy.size > 0) await Promise.all(this.busy);
  }

  /** Sends nothing more, and breaks off what is on its way; that stays pending in `dump`. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.settled();
  }

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private eventsOf(subscription: Subscription, request: ReplayRequest): EventRecord[] {
    return this.requestedEvents(request, subscription).filter(
      (event) => isFor(subscription, event) && this.isOpen(event),
    );
  }

  private requestedEvents(request: ReplayRequest, subscription: Subscription): EventRecord[] {
    const { events } = this.world();
    if (request.kind === 'ids') return this.eventsWith(request.eventIds);
    return events
      .since(0)
      .filter(({ createdMs }) => createdMs > request.afterMs && createdMs < request.beforeMs)
      .filter(({ hirerId }) => request.hirerId === null || hirerId === request.hirerId)
      .filter(({ id }) => request.includesDelivered || !this.isDelivered(id, subscription.id));
  }

  /** Events of one turn go out together. */
  private enqueue(subscription: Subscription, event: EventRecord): void {
    const events = this.waiting.get(subscription);
    if (events !== undefined) {
      events.push(event);
      return;
    }
    this.waiting.set(subscription, [event]);
    this.background.soon('the delivery of events', () => this.flush());
  }

  private flush(): void {
    if (this.mischief.paused || this.isClosed) return;
    for (const [subscription, events] of this.waiting) {
      this.waiting.delete(subscription);
      const isReversed = this.mischief.reorderNext > 0;
      if (isReversed) this.mischief.reorderNext--;
      this.send(subscription, isReversed ? events.reverse() : events, 0);
    }
  }

  private send(subscription: Subscription, events: readonly EventRecord[], retriesDone: number): void {
    const { maxEventsPerAttempt } = subscription.acting;
    for (let start = 0; start < events.length; start += maxEventsPerAttempt) {
      const batch = events.slice(start, start + maxEventsPerAttempt);
      const isDoubled = this.mischief.duplicateNext > 0;
      if (isDoubled) this.mischief.duplicateNext--;
      this.deliverSoon(subscription, batch, retriesDone);
      if (isDoubled) this.deliverSoon(subscription, batch, retriesDone);
    }
  }

  private deliverSoon(...delivery: Parameters<Webhooks['deliver']>): void {
    const work = this.background
      .run('the delivery of a webhook', () => this.deliver(...delivery))
      .finally(() => this.busy.delete(work));
    this.busy.add(work);
  }

  private async deliver(
    subscription: Subscription,
    events: readonly EventRecord[],
    retriesDone: number,
  ): Promise<void> {
    const requestId = randomUUID();
    const createdMs = this.clock.now();
    const pending = pendingOf(subscription.id, events, retriesDone, createdMs);
    this.pending.add(pending);
    const body = makeWebhookBody(subscription, events);
    const headers: Record<string, string> = {
      'Content-Type': this.settings.contentType,
      'User-Agent': this.settings.userAgent,
      'X-Request-Id': requestId,
    };
    const { url, secret } = subscription.acting;
    if (secret !== null) headers[this.settings.signatureHeader] = signWebhookBody(body, secret);
    const signal = AbortSignal.any([AbortSignal.timeout(this.settings.timeoutMs), this.closing.signal]);
    const result = await postWebhook(url, body, headers, signal, this.keptFrom);
    if (this.isClosed && result.outcome !== 'Success') return;
    const attempts = events.map((event) => ({
      id: this.world().newId('seekAnzPublicTest:webhookAttempt:events'),
      eventId: event.id,
      requestId,
      subscriptionId: subscription.id,
      createdMs,
    }));
    this.requests.push({ requestId, subscriptionId: subscription.id, ...result, createdMs, attempts });
    if (this.requests.length > REQUESTS_MAX) this.requests.splice(0, this.requests.length - REQUESTS_MAX);
    this.pending.delete(pending);
    if (result.outcome !== 'Success') this.planRetry(pending);
    if (!this.isClosed) this.touch();
  }

  private planRetry(failed: PendingDelivery): void {
    const delayMs = this.settings.retryDelaysMs[failed.retriesDone];
    if (delayMs === undefined) return;
    this.plan({ ...failed, retriesDone: failed.retriesDone + 1, dueMs: this.clock.now() + delayMs });
  }

  /** Sends events when they are due, unless the subscription has ended. */
  private plan(delivery: PendingDelivery): void {
    const { subscriptionId, eventIds, retriesDone, dueMs } = delivery;
    this.pending.add(delivery);
    if (this.isClosed) return;
    this.clock.at(dueMs, () => {
      this.pending.delete(delivery);
      const subscription = this.subscriptions.get(subscriptionId);
      if (subscription !== undefined) this.send(subscription, this.eventsWith(eventIds), retriesDone);
    });
  }

  private eventsWith(ids: readonly string[]): EventRecord[] {
    return ids.map((id) => this.world().events.get(id)).filter((event) => event !== undefined);
  }
}
