import {
  DELIVERY_OUTCOMES,
  REPLAY_STATUSES,
  type Replay,
  type Subscription,
  type WebhookAttempt,
  type WebhookRequest,
} from '../../webhooks/subscription.js';
import type { Context } from '../context.js';
import { assertEachOneOf, assertOneOf } from '../input-checks.js';
import { pageOf, type PageArgs } from '../paging.js';
import { findHirer } from '../organizations/organization-views.js';

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
    expireDateTime: subscription.expiresMs === null ? null : new Date(subscription.expiresMs).toISOString(),
    webhookRequests: (args: RequestsArgs, context: Context) => pageOfRequests(id, args, context),
    webhookSubscriptionReplays: (args: ReplaysArgs, context: Context) => pageOfReplays(id, args, context),
  };
}

function subscriptionOrNull(id: string, { webhooks }: Context): object | null {
  const subscription = webhooks.subscriptions.get(id);
  return subscription === undefined ? null : subscriptionView(subscription);
}

/** WebhookRequest of the schema. */
export function requestView(request: WebhookRequest): object {
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
        ? {
            __typename: 'WebhookSubscriptionReplayByIdRequest',
            typeCode: 'IdReplayRequest',
            eventIds: request.eventIds,
          }
        : {
            __typename: 'WebhookSubscriptionReplayByRangeRequest',
            typeCode: 'RangeReplayRequest',
            afterDateTime: new Date(request.afterMs).toISOString(),
            beforeDateTime: new Date(request.beforeMs).toISOString(),
            replayDeliveredEventsIndicator: request.includesDelivered,
            hirer: (_args: unknown, context: Context) =>
              request.hirerId === null ? null : findHirer(request.hirerId, context),
          },
    webhookSubscription: (_args: unknown, context: Context) =>
      subscriptionOrNull(replay.subscriptionId, context),
  };
}

/** Two times that bound a list; neither is part of it. */
export interface DateFilter {
  readonly afterDateTime?: Date | null;
  readonly beforeDateTime?: Date | null;
}

/** True if a time lies between those of a filter. */
export function isWithin({ afterDateTime, beforeDateTime }: DateFilter, ms: number): boolean {
  return ms > (afterDateTime?.getTime() ?? -Infinity) && ms < (beforeDateTime?.getTime() ?? Infinity);
}

/** Arguments of the requests sent for a subscription. */
export interface RequestsArgs extends PageArgs {
  readonly filter?: (DateFilter & { readonly descriptionCodes?: readonly string[] | null }) | null;
}

/** The outcomes that a filter asks for; undefined for all. */
function readOutcomes(filter: RequestsArgs['filter']): readonly string[] | undefined {
  const codes = filter?.descriptionCodes ?? undefined;
  assertEachOneOf(codes, DELIVERY_OUTCOMES, 'filter.descriptionCodes');
  return codes;
}

/** The requests sent for a subscription, the earliest first. */
export function pageOfRequests(
  subscriptionId: string,
  { filter, ...page }: RequestsArgs,
  { webhooks }: Context,
): object {
  const codes = readOutcomes(filter);
  const requests = webhooks.requests
    .filter(
      (request) => request.subscriptionId === subscriptionId && isWithin(filter ?? {}, request.createdMs),
    )
    .filter(({ outcome }) => codes === undefined || codes.includes(outcome));
  return pageOf(requests, page, {
    list: 'webhookRequests',
    sizeMax: 100,
    keyOf: ({ requestId }) => requestId,
    node: requestView,
  });
}

/** Arguments of the attempts to deliver an event. */
export interface AttemptsArgs extends PageArgs {
  readonly filter?: RequestsArgs['filter'];
}

/** The attempts to deliver one event, the earliest first. */
export function pageOfAttempts(
  eventId: string,
  { filter, ...page }: AttemptsArgs,
  { webhooks }: Context,
): object {
  const codes = readOutcomes(filter);
  const attempts = webhooks.requests
    .filter(({ outcome }) => codes === undefined || codes.includes(outcome))
    .flatMap((request) => request.attempts)
    .filter((attempt) => attempt.eventId === eventId && isWithin(filter ?? {}, attempt.createdMs));
  return pageOf(attempts, page, {
    list: 'webhookAttempts',
    sizeMax: 100,
    keyOf: ({ id }) => id,
    node: attemptView,
  });
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
  if (statusCode != null) assertOneOf(statusCode, REPLAY_STATUSES, 'filter.statusCode');
  const replays = [...webhooks.replays.values()].filter(
    (replay) =>
      replay.subscriptionId === subscriptionId && (statusCode == null || statusCode === replay.statusCode),
  );
  const { pageInfo, ...connection } = pageOf(replays, page, {
    list: 'webhookSubscriptionReplays',
    sizeMax: 100,
    keyOf: ({ id }) => id,
    node: replayView,
  });
  const unknown = page.last == null ? 'hasPreviousPage' : 'hasNextPage';
  return { ...connection, pageInfo: { ...pageInfo, [unknown]: false } };
}
