import type { Replay, Subscription, WebhookAttempt, WebhookRequest } from '../../webhooks/subscription.js';
import type { Context } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import type { RootFields } from '../root-fields.js';
import { assertScheme } from '../scheme.js';
import { findHirer } from './organization-views.js';

/** WebhookSubscription of the schema; the secret is never shown. */
export function subscriptionView(subscription: Subscription): object {
  const { id, eventTypeCode, schemeId, url, hirerId, maxEventsPerAttempt, signingAlgorithmCode } =
    subscription;
  return {
    id: { value: id },
    eventTypeCode,
    schemeId,
    url,
    hirer: (_args: unknown, context: Context) => (hirerId === null ? null : findHirer(hirerId, context)),
    hirerId: hirerId === null ? null : { value: hirerId },
    maxEventsPerAttempt,
    signingAlgorithmCode,
    createDateTime: new Date(subscription.createdMs).toISOString(),
    updateDateTime: new Date(subscription.updatedMs).toISOString(),
    webhookRequests: (args: RequestsArgs, context: Context) => pageOfRequests(id, args, context),
    webhookSubscriptionReplays: (args: ReplaysArgs, context: Context) => pageOfReplays(id, args, context),
  };
}

function subscriptionOrNull(id: string, { webhooks }: Context): object | null {
  const subscription = webhooks.subscriptions.get(id);
  return subscription === undefined ? null : subscriptionView(subscription);
}

function requestView(request: WebhookRequest): object {
  return {
    requestId: request.requestId,
    descriptionCode: request.outcome,
    statusCode: request.statusCode,
    latencyMs: request.latencyMs,
    createDateTime: new Date(request.createdMs).toISOString(),
    attempts: request.attempts.map(attemptView),
    webhookSubscription: (_args: unknown, context: Context) =>
      subscriptionOrNull(request.subscriptionId, context),
  };
}

function attemptView(attempt: WebhookAttempt): object {
  return {
    id: { value: attempt.id },
    event: (_args: unknown, { world, viewEvent }: Context) => {
      const event = world.events.get(attempt.eventId);
      return event === undefined ? null : viewEvent(event);
    },
    webhookRequest: (_args: unknown, { webhooks }: Context) => {
      const request = webhooks.requests.find(({ requestId }) => requestId === attempt.requestId);
      return request === undefined ? null : requestView(request);
    },
    createDateTime: new Date(attempt.createdMs).toISOString(),
    webhookSubscription: (_args: unknown, context: Context) =>
      subscriptionOrNull(attempt.subscriptionId, context),
  };
}

/** WebhookSubscriptionReplay of the schema. */
export function replayView(replay: Replay): object {
  const { request } = replay;
  return {
    id: { value: replay.id },
    statusCode: () => replay.statusCode,
    createDateTime: new Date(replay.createdMs).toISOString(),
    updateDateTime: new Date(replay.updatedMs).toISOString(),
    request:
      request.kind === 'ids'
        ? { __typename: 'IdReplayRequest', eventIds: request.eventIds.map((value) => ({ value })) }
        : {
            __typename: 'RangeReplayRequest',
            createdAfterDateTime: new Date(request.afterMs).toISOString(),
            createdBeforeDateTime: new Date(request.beforeMs).toISOString(),
            replayDeliveredEventsIndicator: request.includesDelivered,
            hirerId: request.hirerId === null ? null : { value: request.hirerId },
          },
    webhookSubscription: (_args: unknown, context: Context) =>
      subscriptionOrNull(replay.subscriptionId, context),
  };
}

interface DateFilter {
  readonly afterDateTime?: Date | null;
  readonly beforeDateTime?: Date | null;
}

function isWithin({ afterDateTime, beforeDateTime }: DateFilter, ms: number): boolean {
  return ms > (afterDateTime?.getTime() ?? -Infinity) && ms < (beforeDateTime?.getTime() ?? Infinity);
}

interface RequestsArgs extends PageArgs {
  readonly filter?: (DateFilter & { readonly descriptionCodes?: readonly string[] | null }) | null;
}

function pageOfRequests(
  subscriptionId: string,
  { filter, ...page }: RequestsArgs,
  { webhooks }: Context,
): object {
  const codes = filter?.descriptionCodes;
  const requests = webhooks.requests
    .filter(
      (request) => request.subscriptionId === subscriptionId && isWithin(filter ?? {}, request.createdMs),
    )
    .filter(({ outcome }) => codes == null || codes.includes(outcome));
  return pageOf(requests, page, { sizeMax: 100, keyOf: ({ requestId }) => requestId, node: requestView });
}

/** Arguments of the attempts to deliver an event. */
export interface AttemptsArgs extends PageArgs {
  readonly filter?: {
    readonly descriptionCodes?: readonly string[] | null;
    readonly subscriptionId?: string | null;
  } | null;
}

/** The attempts to deliver one event, the earliest first. */
export function pageOfAttempts(
  eventId: string,
  { filter, ...page }: AttemptsArgs,
  { webhooks }: Context,
): object {
  const codes = filter?.descriptionCodes;
  const attempts = webhooks.requests
    .filter(({ outcome }) => codes == null || codes.includes(outcome))
    .flatMap((request) => request.attempts)
    .filter((attempt) => attempt.eventId === eventId)
    .filter(
      ({ subscriptionId }) => filter?.subscriptionId == null || filter.subscriptionId === subscriptionId,
    );
  return pageOf(attempts, page, { sizeMax: 100, keyOf: ({ id }) => id, node: attemptView });
}

interface ReplaysArgs extends PageArgs {
  readonly filter?: { readonly statusCode?: string | null } | null;
}

function pageOfReplays(
  subscriptionId: string,
  { filter, ...page }: ReplaysArgs,
  { webhooks }: Context,
): object {
  const replays = [...webhooks.replays.values()].filter(
    (replay) =>
      replay.subscriptionId === subscriptionId &&
      (filter?.statusCode == null || filter.statusCode === replay.statusCode),
  );
  return pageOf(replays, page, { sizeMax: 100, keyOf: ({ id }) => id, node: replayView });
}

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
  const found = [...webhooks.subscriptions.values()]
    .filter(
      (subscription) => subscription.schemeId === schemeId && isWithin(filter ?? {}, subscription.createdMs),
    )
    .filter(({ eventTypeCode }) => codes == null || codes.includes(eventTypeCode))
    .filter(({ hirerId }) => hirerIds == null || (hirerId !== null && hirerIds.includes(hirerId)));
  return pageOf(found, page, { sizeMax: 100, keyOf: ({ id }) => id, node: subscriptionView });
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
