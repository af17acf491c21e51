import { KEPT_MS } from '../../data/event-stream.js';
import { isDeliverable } from '../../webhooks/post-webhook.js';
import { isFor, type ReplayRequest, type Subscription } from '../../webhooks/subscription.js';
import type {
  CreateWebhookSubscription_SubscriptionInput as Wanted,
  ReplayWebhookSubscriptionInput,
  ReplayWebhookSubscription_FilterInput,
} from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';

const FIELD = 'input.webhookSubscription';
const SECRET_CHARACTERS_MIN = 16;
const SECRET_BYTES_MAX = 255;
const EVENTS_PER_ATTEMPT_DEFAULT = 10;

function requireSubscription({ id }: { readonly id: string }, { webhooks }: Context): Subscription {
  return requireObject(webhooks.subscriptions, id, `${FIELD}.id`);
}

function readSigning({ signingAlgorithmCode, secret }: Pick<Wanted, 'signingAlgorithmCode' | 'secret'>) {
  if (signingAlgorithmCode === 'None') {
    if (secret !== null) throw invalid(`${FIELD}.secret`, 'must be left out for an unsigned subscription');
  } else if (
    secret === null ||
    [...secret].length < SECRET_CHARACTERS_MIN ||
    Buffer.byteLength(secret) > SECRET_BYTES_MAX
  ) {
    throw invalid(`${FIELD}.secret`, 'must have at least 16 characters and at most 255 bytes');
  }
  return { signingAlgorithmCode, secret };
}

function readDelivery(
  { url, maxEventsPerAttempt }: Pick<Wanted, 'url' | 'maxEventsPerAttempt'>,
  { webhooks }: Context,
) {
  if (!isDeliverable(url, webhooks.keptFrom)) {
    throw invalid(`${FIELD}.url`, 'must be https, or http to this machine');
  }
  return { url, maxEventsPerAttempt: maxEventsPerAttempt ?? EVENTS_PER_ATTEMPT_DEFAULT };
}

/** Another subscription of the same events and address. */
function findConflict(
  wanted: Pick<Subscription, 'eventTypeCode' | 'schemeId' | 'hirerId' | 'url'>,
  { webhooks }: Context,
): Subscription | undefined {
  const names = ['eventTypeCode', 'schemeId', 'hirerId', 'url'] as const;
  return [...webhooks.subscriptions.values()].find((one) =>
    names.every((name) => one[name] === wanted[name]),
  );
}

function readReplay(
  { eventIds, filter }: ReplayWebhookSubscriptionInput,
  subscription: Subscription,
  { world, now }: Context,
): ReplayRequest {
  if (eventIds !== null && filter !== null) throw invalid('input.filter', 'cannot be combined with eventIds');
  if (filter !== null) return readReplayedRange(filter, subscription);
  if (eventIds === null) throw invalid('input.eventIds', 'or filter is required');
  for (const [index, id] of eventIds.entries()) {
    const event = world.events.get(id, now() - KEPT_MS);
    if (event !== undefined && isFor(subscription, event)) continue;
    throw invalid(`input.eventIds[${String(index)}]`, 'must identify an event of the subscription');
  }
  return { typeCode: 'IdReplayRequest', eventIds };
}

/** A subscription of one hirer replays that hirer's events alone. */
function readReplayedRange(
  filter: ReplayWebhookSubscription_FilterInput,
  subscription: Subscription,
): ReplayRequest {
  const { createdAfterDateTime: afterDateTime, createdBeforeDateTime: beforeDateTime } = filter;
  const { replayDeliveredEventsIndicator } = filter;
  const field = 'input.filter';
  if (beforeDateTime <= afterDateTime) {
    throw invalid(`${field}.createdBeforeDateTime`, 'must be after createdAfterDateTime');
  }
  const hirerId = filter.hirerId ?? subscription.hirerId;
  if (subscription.hirerId !== null && hirerId !== subscription.hirerId) {
    throw invalid(`${field}.hirerId`, 'must be the hirer of the subscription');
  }
  if (replayDeliveredEventsIndicator && hirerId === null) {
    throw invalid(
      `${field}.hirerId`,
      'is required to replay delivered events for a subscription of every hirer',
    );
  }
  const typeCode = 'RangeReplayRequest';
  return { typeCode, afterDateTime, beforeDateTime, replayDeliveredEventsIndicator, hirerId };
}

/** Mutations of webhook subscriptions, and the replay of past events. */
export const subscribing: Resolvers = {
  Mutation: {
    createWebhookSubscription: ({ input }, context) => {
      const { eventTypeCode, schemeId, hirerId, ...others } = input.webhookSubscription;
      const delivery = { ...readDelivery(others, context), ...readSigning(others) };
      const wanted = { eventTypeCode, schemeId, hirerId, ...delivery };
      return () => {
        const conflict = findConflict(wanted, context);
        return conflict === undefined
          ? { webhookSubscription: context.webhooks.subscribe(wanted) }
          : { conflictingWebhookSubscription: conflict };
      };
    },
    updateWebhookSubscriptionDeliveryConfiguration: ({ input }, context) => {
      const webhookSubscription = requireSubscription(input.webhookSubscription, context);
      const change = readDelivery(input.webhookSubscription, context);
      return () => {
        const conflict = findConflict({ ...webhookSubscription, url: change.url }, context);
        if (conflict !== undefined && conflict !== webhookSubscription) {
          return { conflictingWebhookSubscription: conflict };
        }
        context.webhooks.configure(webhookSubscription, change);
        return { webhookSubscription };
      };
    },
    updateWebhookSubscriptionSigningConfiguration: ({ input }, context) => {
      const webhookSubscription = requireSubscription(input.webhookSubscription, context);
      const change = readSigning(input.webhookSubscription);
      return () => {
        context.webhooks.configure(webhookSubscription, change);
        return { webhookSubscription };
      };
    },
    deleteWebhookSubscription: ({ input }, context) => {
      const webhookSubscription = requireSubscription(input.webhookSubscription, context);
      return () => {
        context.webhooks.subscriptions.delete(webhookSubscription.id);
        return { webhookSubscription };
      };
    },
    replayWebhookSubscription: ({ input }, context) => {
      const webhookSubscription = requireSubscription(input.webhookSubscription, context);
      const request = readReplay(input, webhookSubscription, context);
      return () => {
        context.webhooks.replay(webhookSubscription, request);
        return { webhookSubscription };
      };
    },
  },
};
