import { EVENT_TYPES, type EventType } from '../../data/records.js';
import { isDeliverable } from '../../webhooks/post-webhook.js';
import type { ReplayRequest, Subscription } from '../../webhooks/subscription.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { RootFields } from '../root-fields.js';
import { assertScheme } from '../scheme.js';
import { assertOneOf } from '../views/ontology-views.js';
import { replayView, subscriptionView } from '../views/webhook-views.js';
import { assertStateful } from './assert-stateful.js';

const SECRET_CHARACTERS_MIN = 16;
const SECRET_BYTES_MAX = 255;
const REPLAY_IDS_MAX = 100;

interface SigningInput {
  readonly signingAlgorithmCode: string;
  readonly secret?: string | null;
}

function checkSigning({
  signingAlgorithmCode,
  secret,
}: SigningInput): Pick<Subscription, 'signingAlgorithmCode' | 'secret'> {
  assertOneOf(signingAlgorithmCode, ['None', 'SeekHmacSha512'], 'signingAlgorithmCode');
  if (signingAlgorithmCode === 'None') {
    if (secret != null) throw graphqlError('BAD_USER_INPUT', 'An unsigned subscription has no secret.');
    return { signingAlgorithmCode, secret: null };
  }
  if (
    secret == null ||
    [...secret].length < SECRET_CHARACTERS_MIN ||
    Buffer.byteLength(secret) > SECRET_BYTES_MAX
  ) {
    throw graphqlError('BAD_USER_INPUT', 'secret must have at least 16 characters and at most 255 bytes.');
  }
  return { signingAlgorithmCode: 'SeekHmacSha512', secret };
}

function checkDelivery(url: string, maxEventsPerAttempt: number): void {
  if (!isDeliverable(url)) {
    throw graphqlError('BAD_USER_INPUT', 'url must be https, or http to this machine.');
  }
  if (maxEventsPerAttempt < 1 || maxEventsPerAttempt > 10) {
    throw graphqlError('BAD_USER_INPUT', 'maxEventsPerAttempt must be from 1 to 10.');
  }
}

function findConflict(
  wanted: Pick<Subscription, 'eventTypeCode' | 'schemeId' | 'hirerId' | 'url'>,
  { webhooks }: Context,
): Subscription | undefined {
  return [...webhooks.subscriptions.values()].find(
    ({ eventTypeCode, schemeId, hirerId, url }) =>
      eventTypeCode === wanted.eventTypeCode &&
      schemeId === wanted.schemeId &&
      hirerId === wanted.hirerId &&
      url === wanted.url,
  );
}

interface CreateInput extends SigningInput {
  readonly eventTypeCode: string;
  readonly schemeId: string;
  readonly hirerId?: string | null;
  readonly url: string;
  readonly maxEventsPerAttempt?: number | null;
}

function create({ input }: { input: { webhookSubscription: CreateInput } }, context: Context): object {
  const { eventTypeCode, schemeId, hirerId, url, maxEventsPerAttempt, ...signing } =
    input.webhookSubscription;
  assertOneOf(eventTypeCode, EVENT_TYPES, 'eventTypeCode');
  assertScheme(schemeId);
  checkDelivery(url, maxEventsPerAttempt ?? 10);
  if (hirerId != null) assertHirer(hirerId, context);
  const wanted = {
    eventTypeCode: eventTypeCode as EventType,
    schemeId,
    hirerId: hirerId ?? null,
    url,
    maxEventsPerAttempt: maxEventsPerAttempt ?? 10,
    ...checkSigning(signing),
  };
  assertStateful(context);
  const conflict = findConflict(wanted, context);
  if (conflict !== undefined) {
    return {
      __typename: 'CreateWebhookSubscriptionPayload_Conflict',
      conflictingWebhookSubscription: subscriptionView(conflict),
    };
  }
  const webhookSubscription = subscriptionView(context.webhooks.subscribe(wanted));
  return { __typename: 'CreateWebhookSubscriptionPayload_Success', webhookSubscription };
}

interface DeliveryInput {
  readonly id: string;
  readonly url: string;
  readonly maxEventsPerAttempt: number;
}

function updateDelivery(
  { input }: { input: { webhookSubscription: DeliveryInput } },
  context: Context,
): object {
  const { id, url, maxEventsPerAttempt } = input.webhookSubscription;
  const subscription = requireObject(context.webhooks.subscriptions, id, 'id');
  checkDelivery(url, maxEventsPerAttempt);
  assertStateful(context);
  const conflict = findConflict({ ...subscription, url }, context);
  const payload = 'UpdateWebhookSubscriptionDeliveryConfigurationPayload';
  if (conflict !== undefined && conflict !== subscription) {
    return { __typename: `${payload}_Conflict`, conflictingWebhookSubscription: subscriptionView(conflict) };
  }
  Object.assign(subscription, { url, maxEventsPerAttempt, updatedMs: context.now() });
  return { __typename: `${payload}_Success`, webhookSubscription: subscriptionView(subscription) };
}

function updateSigning(
  { input }: { input: { webhookSubscription: SigningInput & { id: string } } },
  context: Context,
): object {
  const { id, ...signing } = input.webhookSubscription;
  const subscription = requireObject(context.webhooks.subscriptions, id, 'id');
  const checked = checkSigning(signing);
  assertStateful(context);
  Object.assign(subscription, checked, { updatedMs: context.now() });
  return { webhookSubscription: subscriptionView(subscription) };
}

function remove({ input }: { input: { webhookSubscription: { id: string } } }, context: Context): object {
  const subscription = requireObject(context.webhooks.subscriptions, input.webhookSubscription.id, 'id');
  assertStateful(context);
  context.webhooks.subscriptions.delete(subscription.id);
  return { webhookSubscription: subscriptionView(subscription) };
}

interface ReplayInput {
  readonly webhookSubscription: { readonly id: string };
  readonly eventIds?: readonly string[] | null;
  readonly filter?: {
    readonly createdAfterDateTime: Date;
    readonly createdBeforeDateTime: Date;
    readonly replayDeliveredEventsIndicator: boolean;
    readonly hirerId?: string | null;
  } | null;
}

function replay({ input }: { input: ReplayInput }, context: Context): object {
  const subscription = requireObject(context.webhooks.subscriptions, input.webhookSubscription.id, 'id');
  const request = readReplay(input, subscription, context);
  assertStateful(context);
  return { webhookSubscriptionReplay: replayView(context.webhooks.replay(subscription, request)) };
}

function readReplay(
  { eventIds, filter }: ReplayInput,
  subscription: Subscription,
  { world }: Context,
): ReplayRequest {
  if ((eventIds == null) === (filter == null)) {
    throw graphqlError('BAD_USER_INPUT', 'Either eventIds or filter is needed, not both.');
  }
  if (eventIds != null) {
    if (eventIds.length < 1 || eventIds.length > REPLAY_IDS_MAX) {
      throw graphqlError('BAD_USER_INPUT', `eventIds are from 1 to ${String(REPLAY_IDS_MAX)}.`);
    }
    for (const id of eventIds) {
      if (world.events.get(id)?.type !== subscription.eventTypeCode) {
        throw graphqlError('BAD_USER_INPUT', 'eventIds are events of the subscription.');
      }
    }
    return { kind: 'ids', eventIds };
  }
  if (filter == null) throw graphqlError('BAD_USER_INPUT', 'filter is needed.');
  const { replayDeliveredEventsIndicator: includesDelivered, hirerId } = filter;
  if (includesDelivered && subscription.hirerId === null && hirerId == null) {
    throw graphqlError('BAD_USER_INPUT', 'hirerId is needed to replay delivered events of all hirers.');
  }
  return {
    kind: 'range',
    afterMs: filter.createdAfterDateTime.getTime(),
    beforeMs: filter.createdBeforeDateTime.getTime(),
    includesDelivered,
    hirerId: hirerId ?? null,
  };
}

/** Mutations of webhook subscriptions, and the replay of past events. */
export const webhookMutations: RootFields = {
  createWebhookSubscription: create,
  updateWebhookSubscriptionDeliveryConfiguration: updateDelivery,
  updateWebhookSubscriptionSigningConfiguration: updateSigning,
  deleteWebhookSubscription: remove,
  replayWebhookSubscription: replay,
};
