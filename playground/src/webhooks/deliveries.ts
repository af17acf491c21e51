import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Background } from '../background.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import { COUNT, FLAG, type Body } from '../http/body-schemas.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { postWebhook, type DeliveryResult } from './post-webhook.js';
import type { Subscription, WebhookRequest } from './subscription.js';

/** How events are delivered, where the interface leaves it open. */
export interface DeliverySettings {
  /** Waits before the second, third, … attempt; after the last one the events are dropped. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Time until a changed subscription is delivered as configured; up to 30 minutes upstream (interface 13). */
  changeDelayMs: number;
}

/** The settings of a playground that was started without any: six retries over more than an hour. */
export const DEFAULT_DELIVERY: Readonly<DeliverySettings> = {
  retryDelaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000],
  timeoutMs: 10_000,
  changeDelayMs: 5_000,
};

/** Faults to make with the next deliveries, as JSON Schema has them. */
export const MISCHIEF_MEMBERS = {
  /** How many requests are sent twice. */
  duplicateNext: COUNT,
  /** Keep events back until set to false. */
  paused: FLAG,
} as const;
/** Faults to make with the next deliveries. */
export type DeliveryMischief = Body<typeof MISCHIEF_MEMBERS>;

const REQUESTS_MAX = 10_000;

/** Takes events to their subscribers: in batches, again after a failure, and remembers each request. */
export class Deliveries {
  readonly subscriptions = new Map<string, Subscription>();
  readonly requests: WebhookRequest[] = [];
  readonly mischief = { duplicateNext: 0, paused: false };
  private readonly waiting = new Map<Subscription, EventRecord[]>();
  private readonly busy = new Set<Promise<void>>();
  private readonly closing = new AbortController();

  constructor(
    protected readonly world: () => World,
    protected readonly clock: PlaygroundClock,
    readonly settings: DeliverySettings,
    protected readonly background: Background,
    /** Ports of this machine that webhooks never go to. */
    readonly keptFrom: ReadonlySet<number>,
  ) {}

  /** Delivers an event soon. The events of one turn go out together. */
  protected enqueue(subscription: Subscription, event: EventRecord): void {
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

  setMischief(mischief: DeliveryMischief): void {
    Object.assign(this.mischief, mischief);
    if (!this.mischief.paused) this.flush();
  }

  /** Resolves when no delivery is in progress; scheduled retries do not count. */
  async settled(): Promise<void> {
    await setImmediate();
    while (this.busy.size > 0) await Promise.all(this.busy);
  }

  /** Sends nothing more, and aborts the requests in flight. */
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
      this.send(subscription, events, 0);
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
    const result = await this.post(subscription, events, requestId);
    if (this.isClosed && result.outcome !== 'Success') return;
    this.remember(subscription, events, { ...result, requestId, createdMs });
    if (result.outcome !== 'Success') this.planRetry(subscription, events, retriesDone);
  }

  private post(
    subscription: Subscription,
    events: readonly EventRecord[],
    requestId: string,
  ): Promise<DeliveryResult> {
    const { url, secret } = subscription.acting;
    const body = makeWebhookBody(subscription, events);
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Playground-Webhooks/1.0',
      'X-Request-Id': requestId,
      ...(secret !== null && { 'Seek-Signature': signWebhookBody(body, secret) }),
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

  /** Sends events again when they are due, unless the subscription has ended. */
  private planRetry({ id }: Subscription, events: readonly EventRecord[], retriesDone: number): void {
    const delayMs = this.settings.retryDelaysMs[retriesDone];
    if (delayMs === undefined || this.isClosed) return;
    this.clock.after(delayMs, () => {
      const subscription = this.subscriptions.get(id);
      if (subscription !== undefined) this.send(subscription, events, retriesDone + 1);
    });
  }
}

/** The body of a webhook request. `hirerId` is sent to signed subscriptions only (interface 13). */
function makeWebhookBody(subscription: Subscription, events: readonly EventRecord[]): string {
  const { url, signingAlgorithmCode } = subscription.acting;
  const isSigned = signingAlgorithmCode !== 'None';
  return JSON.stringify({
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      createDateTime: new Date(event.createdMs).toISOString(),
      ...event.members,
      ...(isSigned ? { hirerId: event.hirerId } : {}),
    })),
    subscriptionId: subscription.id,
    url,
  });
}

/** HMAC-SHA-512 over the raw body in lower-case hex; the key is the secret's UTF-8 text. */
function signWebhookBody(body: string, secret: string): string {
  return createHmac('sha512', secret).update(body, 'utf8').digest('hex');
}
