import { EVENT_TYPES } from '../../data/records.js';
import type { Context, RootFields } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { assertEachOneOf } from '../input-checks.js';
import { pageOf, type PageArgs } from '../paging.js';
import { assertScheme } from '../scheme.js';
import {
  isWithin,
  pageOfAttempts,
  pageOfRequests,
  replayView,
  requestView,
  subscriptionView,
  type AttemptsArgs,
  type DateFilter,
  type RequestsArgs,
} from './webhook-views.js';

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
  assertScheme(schemeId);
  const [codes, hirerIds] = [filter?.eventTypeCodes, filter?.hirerIds];
  assertEachOneOf(codes, EVENT_TYPES, 'filter.eventTypeCodes');
  const found = [...webhooks.subscriptions.values()]
    .filter(
      (subscription) => subscription.schemeId === schemeId && isWithin(filter ?? {}, subscription.createdMs),
    )
    .filter(({ eventTypeCode }) => codes == null || codes.includes(eventTypeCode))
    .filter(({ hirerId }) => hirerIds == null || (hirerId !== null && hirerIds.includes(hirerId)));
  return pageOf(found, page, {
    list: 'webhookSubscriptions',
    sizeMax: 100,
    keyOf: ({ id }) => id,
    node: subscriptionView,
  });
}

/** Queries for webhook subscriptions, their requests and replays. */
export const webhookQueries: RootFields = {
  webhookSubscription: ({ id }: { id: string }, context) => {
    const found = findObject(context.webhooks.subscriptions, id, context);
    return found && subscriptionView(found);
  },
  webhookSubscriptions: listSubscriptions,
  webhookRequest: ({ requestId, schemeId }: { requestId: string; schemeId: string }, { webhooks }) => {
    assertScheme(schemeId);
    const request = webhooks.requests.find((sent) => sent.requestId === requestId);
    return request === undefined ? null : requestView(request);
  },
  webhookRequestsForSubscription: (
    { subscriptionId, ...args }: RequestsArgs & { subscriptionId: string },
    context,
  ) => {
    requireObject(context.webhooks.subscriptions, subscriptionId, 'subscriptionId');
    return pageOfRequests(subscriptionId, args, context);
  },
  webhookAttemptsForEvent: ({ eventId, ...args }: AttemptsArgs & { eventId: string }, context) =>
    pageOfAttempts(eventId, args, context),
  webhookSubscriptionReplay: ({ id }: { id: string }, context) => {
    const replay = findObject(context.webhooks.replays, id, context);
    return replay && replayView(replay);
  },
};
