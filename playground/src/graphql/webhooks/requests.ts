import type { Replay, Subscription, WebhookAttempt, WebhookRequest } from '../../webhooks/subscription.js';
import type { Context, RootFields, TypeFields } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { findHirer } from '../hirers.js';
import { pageOf, type PageArgs } from '../paging.js';

/** Two times that bound a list; neither is part of it. */
interface DateFilter {
  readonly afterDateTime?: Date | null;
  readonly beforeDateTime?: Date | null;
}

/** True if a time lies between those of a filter. */
function isWithin({ afterDateTime, beforeDateTime }: DateFilter, ms: number): boolean {
  return ms > (afterDateTime?.getTime() ?? -Infinity) && ms < (beforeDateTime?.getTime() ?? Infinity);
}

/** Arguments of requests and of the attempts in them. */
export interface RequestsArgs extends PageArgs {
  readonly filter?: (DateFilter & { readonly descriptionCodes?: readonly string[] | null }) | null;
}

/** The requests sent for a subscription, the earliest first. */
function pageOfRequests(
  subscriptionId: string,
  { filter, ...page }: RequestsArgs,
  { webhooks }: Context,
): object {
  const requests = webhooks.requests
    .filter((request) => request.subscriptionId === subscriptionId)
    .filter(({ createdMs }) => isWithin(filter ?? {}, createdMs))
    .filter(({ outcome }) => filter?.descriptionCodes?.includes(outcome) !== false);
  const keyOf = ({ requestId }: WebhookRequest): string => requestId;
  return pageOf(requests, page, { list: 'webhookRequests', sizeMax: 100, keyOf });
}

/** The attempts to deliver one event, the earliest first. */
export function pageOfAttempts(
  eventId: string,
  { filter, ...page }: RequestsArgs,
  { webhooks }: Context,
): object {
  const attempts = webhooks.requests
    .filter(({ outcome }) => filter?.descriptionCodes?.includes(outcome) !== false)
    .flatMap((request) => request.attempts)
    .filter((attempt) => attempt.eventId === eventId && isWithin(filter ?? {}, attempt.createdMs));
  return pageOf(attempts, page, { list: 'webhookAttempts', sizeMax: 100 });
}

interface ReplaysArgs extends PageArgs {
  readonly filter?: { readonly statusCode?: string | null } | null;
}

/** Read forwards, it does not say what comes before; read backwards, not what comes after (as upstream). */
function pageOfReplays(
  subscriptionId: string,
  { filter, ...page }: ReplaysArgs,
  { webhooks }: Context,
): object {
  const statusCode = filter?.statusCode;
  const replays = [...webhooks.replays.values()]
    .filter((replay) => replay.subscriptionId === subscriptionId)
    .filter((replay) => statusCode == null || statusCode === replay.statusCode);
  const { pageInfo, ...connection } = pageOf(replays, page, {
    list: 'webhookSubscriptionReplays',
    sizeMax: 100,
  });
  const unknown = page.last == null ? 'hasPreviousPage' : 'hasNextPage';
  return { ...connection, pageInfo: { ...pageInfo, [unknown]: false } };
}

function subscriptionOf(
  { subscriptionId }: { readonly subscriptionId: string },
  _args: unknown,
  { webhooks }: Context,
): Subscription | null {
  return webhooks.subscriptions.get(subscriptionId) ?? null;
}

/** Fields of subscriptions, whose secret is never shown, and of what was sent for them. */
export const webhookFields: TypeFields = {
  WebhookSubscription: {
    hirer: ({ hirerId }: Subscription, _args: unknown, context) => findHirer(hirerId, context),
    expireDateTime: ({ expiresMs }: Subscription) => expiresMs,
    webhookRequests: ({ id }: Subscription, args: RequestsArgs, context) => pageOfRequests(id, args, context),
    webhookSubscriptionReplays: ({ id }: Subscription, args: ReplaysArgs, context) =>
      pageOfReplays(id, args, context),
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
    __typename: ({ kind }: Replay['request']) =>
      kind === 'ids' ? 'WebhookSubscriptionReplayByIdRequest' : 'WebhookSubscriptionReplayByRangeRequest',
  },
  WebhookSubscriptionReplayByIdRequest: { typeCode: () => 'IdReplayRequest' },
  WebhookSubscriptionReplayByRangeRequest: {
    typeCode: () => 'RangeReplayRequest',
    afterDateTime: ({ afterMs }: { afterMs: number }) => afterMs,
    beforeDateTime: ({ beforeMs }: { beforeMs: number }) => beforeMs,
    replayDeliveredEventsIndicator: ({ includesDelivered }: { includesDelivered: boolean }) =>
      includesDelivered,
    hirer: ({ hirerId }: { hirerId: string | null }, _args: unknown, context) => findHirer(hirerId, context),
  },
};

interface SubscriptionsArgs extends PageArgs {
  readonly schemeId: string;
  readonly filter?:
    | (DateFilter & {
        readonly eventTypeCodes?: readonly string[] | null;
        readonly hirerIds?: readonly string[] | null;
      })
    | null;
}

function listSubscriptions({ schemeId, filter, ...page }: SubscriptionsArgs, { webhooks }: Context): object {
  const found = [...webhooks.subscriptions.values()]
    .filter((one) => one.schemeId === schemeId && isWithin(filter ?? {}, one.createdMs))
    .filter(({ eventTypeCode }) => filter?.eventTypeCodes?.includes(eventTypeCode) !== false)
    .filter(({ hirerId }) => filter?.hirerIds?.includes(hirerId ?? '') !== false);
  return pageOf(found, page, { list: 'webhookSubscriptions', sizeMax: 100 });
}

/** Queries for webhook subscriptions, their requests and replays. */
export const webhookQueries: RootFields = {
  webhookSubscription: ({ id }: { id: string }, context) =>
    findObject(context.webhooks.subscriptions, id, context),
  webhookSubscriptions: listSubscriptions,
  webhookRequest: ({ requestId }: { requestId: string }, { webhooks }) =>
    webhooks.requests.find((sent) => sent.requestId === requestId) ?? null,
  webhookRequestsForSubscription: (
    { subscriptionId, ...args }: RequestsArgs & { subscriptionId: string },
    context,
  ) => {
    requireObject(context.webhooks.subscriptions, subscriptionId, 'subscriptionId');
    return pageOfRequests(subscriptionId, args, context);
  },
  webhookAttemptsForEvent: ({ eventId, ...args }: RequestsArgs & { eventId: string }, context) =>
    pageOfAttempts(eventId, args, context),
  webhookSubscriptionReplay: ({ id }: { id: string }, context) =>
    findObject(context.webhooks.replays, id, context),
};
