import { EVENT_TYPES, type EventType } from '../../data/records.js';
import { isDeliverable } from '../../webhooks/post-webhook.js';
import { isFor, type ReplayRequest, type Subscription } from '../../webhooks/subscription.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertScheme } from '../scheme.js';
import { assertCount, assertOneOf } from '../input-checks.js';
import { subscriptionView } from './webhook-views.js';

const FIELD = 'input.webhookSubscription';
const SECRET_CHARACTERS_MIN = 16;
const SECRET_BYTES_MAX = 255;
const EVENTS_PER_ATTEMPT_DEFAULT = 10;
const REPLAY_IDS_MAX = 100;

interface SigningInput {
  readonly signingAlgorithmCode: string;
  readonly secret?: string | null;
}

function checkSigning({
  signingAlgorithmCode,
  secret,
}: SigningInput): Pick<Subscription, 'signingAlgorithmCode' | 'secret'> {
  assertOneOf(signingAlgorithmCode, ['None', 'SeekHmacSha512'], `${FIELD}.signingAlgorithmCode`);
  if (signingAlgorithmCode === 'None') {
    if (secret != null) throw invalid(`${FIELD}.secret`, 'must be left out for an unsigned subscription');
    return { signingAlgorithmCode, secret: null };
  }
  if (
    secret == null ||
    [...secret].length < SECRET_CHARACTERS_MIN ||
    Buffer.byteLength(secret) > SECRET_BYTES_MAX
  ) {
    throw invalid(`${FIELD}.secret`, 'must have at least 16 characters and at most 255 bytes');
  }
  return { signingAlgorithmCode: 'SeekHmacSha512', secret };
}

function checkDelivery(url: string, maxEventsPerAttempt: number, { webhooks }: Context): void {
  if (!isDeliverable(url, webhooks.keptFrom)) {
    throw invalid(`${FIELD}.url`, 'must be https, or http to this machine');
  }
  if (maxEventsPerAttempt < 1 || maxEventsPerAttempt > 10) {
    throw invalid(`${FIELD}.maxEventsPerAttempt`, 'must be from 1 to 10');
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
  assertOneOf(eventTypeCode, EVENT_TYPES, `${FIELD}.eventTypeCode`);
  assertScheme(schemeId);
  checkDelivery(url, maxEventsPerAttempt ?? EVENTS_PER_ATTEMPT_DEFAULT, context);
  const wanted = {
    eventTypeCode: eventTypeCode as EventType,
    schemeId,
    hirerId: hirerId ?? null,
    url,
    maxEventsPerAttempt: maxEventsPerAttempt ?? EVENTS_PER_ATTEMPT_DEFAULT,
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
  readonly maxEventsPerAttempt?: number | null;
}

function updateDelivery(
  { input }: { input: { webhookSubscription: DeliveryInput } },
  context: Context,
): object {
  const { id, url } = input.webhookSubscription;
  const maxEventsPerAttempt = input.webhookSubscription.maxEventsPerAttempt ?? EVENTS_PER_ATTEMPT_DEFAULT;
  const subscription = requireObject(context.webhooks.subscriptions, id, `${FIELD}.id`);
  checkDelivery(url, maxEventsPerAttempt, context);
  assertStateful(context);
  const conflict = findConflict({ ...subscription, url }, context);
  const payload = 'UpdateWebhookSubscriptionDeliveryConfigurationPayload';
  if (conflict !== undefined && conflict !== subscription) {
    return { __typename: `${payload}_Conflict`, conflictingWebhookSubscription: subscriptionView(conflict) };
  }
  context.webhooks.configure(subscription, { url, maxEventsPerAttempt });
  return { __typename: `${payload}_Success`, webhookSubscription: subscriptionView(subscription) };
}

function updateSigning(
  { input }: { input: { webhookSubscription: SigningInput & { id: string } } },
  context: Context,
): object {
  const { id, ...signing } = input.webhookSubscription;
  const subscription = requireObject(context.webhooks.subscriptions, id, `${FIELD}.id`);
  const checked = checkSigning(signing);
  assertStateful(context);
  context.webhooks.configure(subscription, checked);
  return { webhookSubscription: subscriptionView(subscription) };
}

function remove({ input }: { input: { webhookSubscription: { id: string } } }, context: Context): object {
  const subscription = requireObject(
    context.webhooks.subscriptions,
    input.webhookSubscription.id,
    `${FIELD}.id`,
  );
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
  const subscription = requireObject(
    context.webhooks.subscriptions,
    input.webhookSubscription.id,
    `${FIELD}.id`,
  );
  const request = readReplay(input, subscription, context);
  assertStateful(context);
  context.webhooks.replay(subscription, request);
  return { webhookSubscription: subscriptionView(subscription) };
}

function readReplay(
  { eventIds, filter }: ReplayInput,
  subscription: Subscription,
  context: Context,
): ReplayRequest {
  if (eventIds != null && filter != null) throw invalid('input.filter', 'cannot be combined with eventIds');
  if (eventIds != null) return readReplayedIds(eventIds, subscription, context);
  if (filter != null) return readReplayedRange(filter, subscription);
  throw invalid('input.eventIds', 'or filter is required');
}

function readReplayedIds(
  eventIds: readonly string[],
  subscription: Subscription,
  { world }: Context,
): ReplayRequest {
  assertCount(eventIds, 1, REPLAY_IDS_MAX, 'input.eventIds');
  for (const [index, id] of eventIds.entries()) {
    const event = world.events.get(id);
    if (event === undefined || !isFor(subscription, event)) {
      throw invalid(`input.eventIds[${String(index)}]`, 'must identify an event of the subscription');
    }
  }
  return { kind: 'ids', eventIds };
}

/** A subscription of one hirer replays that hirer's events alone. */
function readReplayedRange(
  filter: NonNullable<ReplayInput['filter']>,
  subscription: Subscription,
): ReplayRequest {
  const { createdAfterDateTime, createdBeforeDateTime, replayDeliveredEventsIndicator } = filter;
  const field = 'input.filter';
  if (createdBeforeDateTime <= createdAfterDateTime) {
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
  return {
    kind: 'range',
    afterMs: createdAfterDateTime.getTime(),
    beforeMs: createdBeforeDateTime.getTime(),
    includesDelivered: replayDeliveredEventsIndicator,
    hirerId,
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
