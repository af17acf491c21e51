import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Background } from '../background.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import type { PlaygroundClock } from '../playground-clock.js';
import type { DeliveryMischief, DeliverySettings } from './delivery-settings.js';
import { postWebhook, type DeliveryResult } from './post-webhook.js';
import { pendingOf, type PendingDelivery, type Subscription, type WebhookRequest } from './subscription.js';
import { makeWebhookBody, signWebhookBody } from './webhook-body.js';

/** The part of the deliveries that is kept across a restart. */
export interface DeliveryState {
  readonly requests: readonly WebhookRequest[];
  /** Absent from what earlier versions kept. */
  readonly pending?: readonly PendingDelivery[];
}

/** How many requests are remembered, and how many of them across a restart. */
const REQUESTS_MAX = 10_000;
const REQUESTS_KEPT = 1_000;

/** Takes events to their subscribers: in batches, again after a failure, and remembers each request. */
export class Deliveries {
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
    private readonly subscriptions: ReadonlyMap<string, Subscription>,
    private readonly touch: () => void,
    private readonly background: Background,
    /** Ports of this machine that webhooks never go to. */
    readonly keptFrom: ReadonlySet<number>,
  ) {}

  /** Restores what was kept before a restart. Events that were not delivered are sent when they are due. */
  restore({ requests, pending = [] }: DeliveryState): void {
    this.requests.push(...requests);
    for (const delivery of pending) this.plan(delivery);
  }

  /** The state to keep across a restart. */
  dump(): Required<DeliveryState> {
    const dueMs = this.clock.now();
    const held = [...this.waiting].map(([{ id }, events]) => pendingOf(id, events, 0, dueMs));
    return { requests: this.requests.slice(-REQUESTS_KEPT), pending: [...this.pending, ...held] };
  }

  /** Delivers an event soon. The events of one turn go out together. */
  enqueue(subscription: Subscription, event: EventRecord): void {
    const events = this.waiting.get(subscription);
    if (events !== undefined) {
      events.push(event);
      return;
    }
    this.waiting.set(subscription, [event]);
    this.background.soon('the delivery of events', () => this.flush());
  }

  /** True if a subscriber has accepted an event. */
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

  /** Sends nothing more, and aborts the requests in flight; their events stay pending in `dump`. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.settled();
  }

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
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

  private deliverSoon(...delivery: Parameters<Deliveries['deliver']>): void {
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
    const result = await this.post(subscription, events, requestId);
    if (this.isClosed && result.outcome !== 'Success') return;
    this.remember(subscription, events, { ...result, requestId, createdMs });
    this.pending.delete(pending);
    if (result.outcome !== 'Success') this.planRetry(pending);
    if (!this.isClosed) this.touch();
  }

  private post(
    subscription: Subscription,
    events: readonly EventRecord[],
    requestId: string,
  ): Promise<DeliveryResult> {
    const { url, secret } = subscription.acting;
    const body = makeWebhookBody(subscription, events);
    const headers = {
      'Content-Type': this.settings.contentType,
      'User-Agent': this.settings.userAgent,
      'X-Request-Id': requestId,
      ...(secret !== null && { [this.settings.signatureHeader]: signWebhookBody(body, secret) }),
    };
    const signal = AbortSignal.any([AbortSignal.timeout(this.settings.timeoutMs), this.closing.signal]);
    return postWebhook(url, body, headers, signal, this.keptFrom);
  }

  private remember(
    { id: subscriptionId }: Subscription,
    events: readonly EventRecord[],
    request: DeliveryResult & Pick<WebhookRequest, 'requestId' | 'createdMs'>,
  ): void {
    const { requestId, createdMs } = request;
    const attempts = events.map((event) => ({
      id: this.world().newId('seekAnzPublicTest:webhookAttempt:events'),
      eventId: event.id,
      requestId,
      subscriptionId,
      createdMs,
    }));
    this.requests.push({ ...request, subscriptionId, attempts });
    if (this.requests.length > REQUESTS_MAX) this.requests.splice(0, this.requests.length - REQUESTS_MAX);
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
      if (subscription === undefined) return;
      this.send(subscription, this.world().events.withIds(eventIds), retriesDone);
    });
  }
}
