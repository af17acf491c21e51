import { EVENT_TYPES, type EventType } from '../data/records.js';
import type { Incoming } from '../http/exchange.js';
import { isDeliverable } from '../webhooks/post-webhook.js';
import type { Subscription } from '../webhooks/subscription.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { ControlError, COUNT, LIFETIME_SECONDS, readMembers, type Control } from './read-members.js';

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

/** Subscribes a URL to several types of events at once. */
export function subscribeTo(wish: SubscriptionWish, webhooks: Webhooks): Subscription[] {
  const types = wish.eventTypeCodes ?? EVENT_TYPES;
  if (!types.every((type) => EVENT_TYPES.some((known) => known === type))) {
    throw new ControlError(`eventTypeCodes are of ${EVENT_TYPES.join(', ')}.`);
  }
  if (!isDeliverable(wish.url, webhooks.keptFrom)) {
    throw new ControlError(
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
  return types.map((type) => webhooks.subscribe({ eventTypeCode: type as EventType, ...wanted }, lifetimeMs));
}

/** Controls under `/playground/webhooks`. */
export function webhookControls({ webhooks }: { webhooks: Webhooks }): Record<string, Control> {
  return {
    'webhooks/subscriptions': {
      GET: () => ({ subscriptions: [...webhooks.subscriptions.values()].map(withoutSecret) }),
      POST: (incoming) => {
        const wish = readMembers(incoming, {
          url: 'string',
          secret: 'string',
          eventTypeCodes: 'strings',
          hirerId: 'string',
          maxEventsPerAttempt: { min: 1, max: 10, isWhole: true },
          lifetimeSeconds: { ...LIFETIME_SECONDS, min: 0 },
        });
        return {
          subscriptions: subscribeTo(wish as unknown as SubscriptionWish, webhooks).map(withoutSecret),
        };
      },
      DELETE: () => {
        webhooks.subscriptions.clear();
        return { subscriptions: [] };
      },
    },
    'webhooks/requests': { GET: () => ({ requests: webhooks.requests }) },
    'webhooks/mischief': {
      GET: () => webhooks.mischief,
      POST: (incoming) => makeMischief(incoming, webhooks),
    },
    'webhooks/replay': { POST: (incoming) => replay(incoming, webhooks) },
  };
}

function withoutSecret(subscription: Subscription): object {
  return { ...subscription, secret: undefined, acting: { ...subscription.acting, secret: undefined } };
}

function makeMischief(incoming: Incoming, webhooks: Webhooks): object {
  const mischief = readMembers(incoming, {
    duplicateNext: COUNT,
    reorderNext: COUNT,
    paused: 'boolean',
  });
  webhooks.setMischief(mischief);
  return webhooks.mischief;
}

function replay(incoming: Incoming, webhooks: Webhooks): object {
  const { subscriptionId, eventIds } = readMembers(incoming, {
    subscriptionId: 'string',
    eventIds: 'strings',
  });
  const subscription = webhooks.subscriptions.get(String(subscriptionId));
  if (subscription === undefined) throw new ControlError('subscriptionId is not known.');
  return webhooks.replay(subscription, { kind: 'ids', eventIds: (eventIds ?? []) as string[] });
}
