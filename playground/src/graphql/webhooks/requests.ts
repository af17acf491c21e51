import type { Replay, Subscription, WebhookAttempt, WebhookRequest } from '../../webhooks/subscription.js';
import type {
  WebhookRequestFilterInput,
  WebhookSubscription_webhookRequests as Requests,
  WebhookSubscription_webhookSubscriptionReplays as Replays,
} from '../arguments.js';
import type { Context, TypeFields } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { findHirer } from '../hirers.js';
import type { List } from '../paging.js';
import type { Resolvers } from '../schema/build-schema.js';

/** Two times that bound a list; neither is part of it. */
type Dates = Pick<WebhookRequestFilterInput, 'afterDateTime' | 'beforeDateTime'>;

/** True if a time lies between those of a filter. */
function isWithin(filter: Dates | null, ms: number): boolean {
  return (
    ms > (filter?.afterDateTime?.getTime() ?? -Infinity) &&
    ms < (filter?.beforeDateTime?.getTime() ?? Infinity)
  );
}

/** Arguments of requests and of the attempts in them. */
export type RequestsArgs = Pick<Requests, 'filter'>;

/** The requests sent for a subscription, the earliest first. */
function requestsFor(subscriptionId: string, { filter }: RequestsArgs, { webhooks }: Context) {
  const items = webhooks.requests
    .filter((request) => request.subscriptionId === subscriptionId && isWithin(filter, request.createdMs))
    .filter(({ outcome }) => filter?.descriptionCodes?.includes(outcome) !== false);
  return { items, keyOf: ({ requestId }: WebhookRequest): string => requestId };
}

/** The attempts to deliver one event, the earliest first. */
export function attemptsFor(
  eventId: string,
  { filter }: RequestsArgs,
  { webhooks }: Context,
): WebhookAttempt[] {
  return webhooks.requests
    .filter(({ outcome }) => filter?.descriptionCodes?.includes(outcome) !== false)
    .flatMap((request) => request.attempts)
    .filter((attempt) => attempt.eventId === eventId && isWithin(filter, attempt.createdMs));
}

function replaysOf({ id }: Subscription, { filter }: Replays, { webhooks }: Context): List<Replay> {
  const statusCode = filter?.statusCode ?? null;
  const items = [...webhooks.replays.values()].filter(
    (replay) => replay.subscriptionId === id && (statusCode === null || statusCode === replay.statusCode),
  );
  return { items, isOneWay: true };
}

function subscriptionOf(
  { subscriptionId }: { readonly subscriptionId: string },
  _args: unknown,
  { webhooks }: Context,
): Subscription | null {
  return webhooks.subscriptions.get(subscriptionId) ?? null;
}

/** A subscription's secret is never shown. */
const TYPES: TypeFields = {
  WebhookSubscription: {
    hirer: ({ hirerId }: Subscription, _args: unknown, context) => findHirer(hirerId, context),
    webhookRequests: ({ id }: Subscription, args: RequestsArgs, context) => requestsFor(id, args, context),
    webhookSubscriptionReplays: replaysOf,
  },
  WebhookRequest: {
    descriptionCode: ({ outcome }: WebhookRequest) => outcome,
    webhookSubscription: subscriptionOf,
  },
  WebhookAttempt: {
    webhookRequest: ({ requestId }: WebhookAttempt, _args: unknown, { webhooks }) =>
      webhooks.requests.find((request) => request.requestId === requestId),
    webhookSubscription: subscriptionOf,
  },
  WebhookSubscriptionReplay: { webhookSubscription: subscriptionOf },
  WebhookSubscriptionReplayRequest: {
    __typename: ({ typeCode }: Replay['request']) =>
      `WebhookSubscriptionReplayBy${typeCode === 'IdReplayRequest' ? 'Id' : 'Range'}Request`,
  },
  WebhookSubscriptionReplayByRangeRequest: {
    hirer: ({ hirerId }: { hirerId: string | null }, _args: unknown, context) => findHirer(hirerId, context),
  },
};

/** Webhook subscriptions, and what was sent for them, as they are read. */
export const subscriptions: Resolvers = {
  types: TYPES,
  Query: {
    webhookSubscription: ({ id }, context) => findObject(context.webhooks.subscriptions, id, context),
    webhookSubscriptions: ({ schemeId, filter }, { webhooks }) =>
      [...webhooks.subscriptions.values()]
        .filter((one) => one.schemeId === schemeId && isWithin(filter, one.createdMs))
        .filter(({ eventTypeCode }) => filter?.eventTypeCodes?.includes(eventTypeCode) !== false)
        .filter(({ hirerId }) => filter?.hirerIds?.includes(hirerId ?? '') !== false),
    webhookRequest: ({ requestId }, { webhooks }) =>
      webhooks.requests.find((sent) => sent.requestId === requestId) ?? null,
    webhookRequestsForSubscription: (args, context) => {
      const { id } = requireObject(context.webhooks.subscriptions, args.subscriptionId, 'subscriptionId');
      return requestsFor(id, args, context);
    },
    webhookAttemptsForEvent: (args, context) => attemptsFor(args.eventId, args, context),
    webhookSubscriptionReplay: ({ id }, context) => findObject(context.webhooks.replays, id, context),
  },
};
