import { EVENT_TYPES, type EventType } from '../data/records.js';
import { isDeliverable } from './post-webhook.js';
import type { Subscription } from './subscription.js';
import type { Webhooks } from './webhooks.js';

/** A subscription to make for a URL. */
export interface SubscriptionWish {
  readonly url: string;
  /** Signed when given. */
  readonly secret?: string;
  /** Every type by default, one subscription each. */
  readonly eventTypeCodes?: readonly string[];
  /** All hirers by default. */
  readonly hirerId?: string;
  /** 10 by default. */
  readonly maxEventsPerAttempt?: number;
  /** The time after which it ends; without end by default. */
  readonly lifetimeSeconds?: number;
}

/**
 * Subscribes a URL to several types of events at once.
 * @throws RangeError for a URL that webhooks do not go to
 */
export function subscribeTo(wish: SubscriptionWish, webhooks: Webhooks): Subscription[] {
  if (!isDeliverable(wish.url, webhooks.keptFrom)) {
    throw new RangeError(
      'url is https, or http to this machine, except to the playground and to an ops listener.',
    );
  }
  const lifetimeMs = wish.lifetimeSeconds === undefined ? undefined : wish.lifetimeSeconds * 1000;
  const wanted = {
    schemeId: 'seekAnzPublicTest',
    hirerId: wish.hirerId ?? null,
    url: wish.url,
    maxEventsPerAttempt: wish.maxEventsPerAttempt ?? 10,
    signingAlgorithmCode: wish.secret === undefined ? 'None' : 'SeekHmacSha512',
    secret: wish.secret ?? null,
  } as const;
  const types = wish.eventTypeCodes ?? EVENT_TYPES;
  return types.map((type) => webhooks.subscribe({ eventTypeCode: type as EventType, ...wanted }, lifetimeMs));
}
