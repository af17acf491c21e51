import { comparePositions, KEPT_MS, type StreamPosition } from '../data/event-stream.js';
import type { RelationshipType } from '../data/hirers.js';
import { isPosted } from '../data/positions/position-records.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import { isFor } from '../webhooks/subscription.js';
import { assertHirer } from './access.js';
import type { EventsFilterInput, Query_events } from './arguments.js';
import type { Context, TypeFields } from './context.js';
import { invalid } from './errors.js';
import { findObject, requireObject } from './find-object.js';
import { findHirer } from './hirers.js';
import type { List, Place } from './paging.js';
import type { Resolvers } from './schema/build-schema.js';
import { attemptsFor, type RequestsArgs } from './webhooks/requests.js';

/** Fields of every type of event. */
const EVENT = {
  typeCode: ({ type }: EventRecord) => type,
  webhookAttempts: ({ id }: EventRecord, args: RequestsArgs, context: Context) =>
    attemptsFor(id, args, context),
};

/** Members that are plain identifiers; one that the event was made without is empty. */
function ids(...names: readonly string[]): TypeFields[string] {
  return Object.fromEntries(names.map((name) => [name, ({ members }: EventRecord) => members[name] ?? '']));
}

/** The object that an event is about, or null; throws `FORBIDDEN` without one of the relationships of this moment. */
function pointAt(
  records: 'candidates' | 'candidateProfiles' | 'positionProfiles',
  member: string,
  ...anyOf: readonly RelationshipType[]
) {
  return ({ hirerId, members }: EventRecord, _args: unknown, context: Context): unknown => {
    assertHirer(hirerId, context, ...anyOf);
    return readable(context.world, records, members[member] ?? '');
  };
}

/** An ad cannot be read until it is processed. */
function readable(world: World, records: Parameters<typeof pointAt>[0], id: string): unknown {
  if (records !== 'positionProfiles') return world[records].get(id) ?? null;
  const profile = world.positionProfiles.get(id);
  return isPosted(profile) ? profile : null;
}

const OF_AD = {
  ...EVENT,
  ...ids('positionProfileId'),
  positionProfile: pointAt('positionProfiles', 'positionProfileId', 'ApplicationExport', 'JobPosting'),
};

/** Only a change of relationships names the hirer. */
const TYPES: TypeFields = {
  Event: { __typename: ({ type }: EventRecord) => `${type}Event` },
  CandidateApplicationCreatedEvent: {
    ...EVENT,
    ...ids('candidateId', 'candidateApplicationProfileId'),
    candidate: pointAt('candidates', 'candidateId', 'ApplicationExport'),
    candidateApplicationProfile: pointAt(
      'candidateProfiles',
      'candidateApplicationProfileId',
      'ApplicationExport',
    ),
  },
  CandidateProfilePurchasedEvent: {
    ...EVENT,
    ...ids('candidateProfileId'),
    candidateProfile: pointAt('candidateProfiles', 'candidateProfileId', 'ProactiveSourcing'),
  },
  HirerRelationshipChangedEvent: {
    ...EVENT,
    hirer: ({ hirerId }: EventRecord, _args: unknown, context) => findHirer(hirerId, context),
  },
  PositionProfilePostedEvent: OF_AD,
  PositionProfileUpdatedEvent: OF_AD,
  PositionProfileClosedEvent: OF_AD,
  PositionNotPostedEvent: { ...EVENT, ...ids('reasonId', 'seekPartnerPositionId') },
};

function listEvents({ schemeId, filter, after, before }: Query_events, context: Context): List<EventRecord> {
  const { world, now } = context;
  const isFirstPage = after === null && before === null;
  const [afterMs, beforeMs] = isFirstPage
    ? [filter?.afterDateTime?.getTime() ?? -Infinity, filter?.beforeDateTime?.getTime() ?? Infinity]
    : [-Infinity, Infinity];
  const isWanted = filter === null ? () => true : subscriptionFilter(filter, context);
  const codes = filter?.eventTypeCodes;
  const items = world.events
    .since(now() - KEPT_MS)
    .filter(
      (event) => event.schemeId === schemeId && codes?.includes(event.type) !== false && isWanted(event),
    )
    .filter(({ streamMs }) => streamMs > afterMs && streamMs < beforeMs);
  return {
    items,
    keyOf: ({ streamMs, order }) => `${String(streamMs)}|${String(order)}`,
    placeOf,
    edge: ({ streamMs: streamDateTime }) => ({ streamDateTime }),
  };
}

/** A filter of events by subscription, and by whether an event has been delivered for it. */
function subscriptionFilter(
  { subscriptionId, deliveredIndicator }: EventsFilterInput,
  { webhooks }: Context,
): (event: EventRecord) => boolean {
  if (subscriptionId === null) {
    if (deliveredIndicator === null) return () => true;
    throw invalid('filter.deliveredIndicator', 'requires subscriptionId');
  }
  const subscription = requireObject(webhooks.subscriptions, subscriptionId, 'filter.subscriptionId');
  return (event) =>
    isFor(subscription, event) &&
    (deliveredIndicator === null || webhooks.isDelivered(event.id, subscriptionId) === deliveredIndicator);
}

/**
 * Also works for events that the filter leaves out, and for those that are no longer kept: a reader that returns late
 * continues with the earliest.
 */
function placeOf(events: readonly EventRecord[], key: string): Place {
  const [streamMs, order] = key.split('|').map(Number) as [number, number];
  const position: StreamPosition = { streamMs, order };
  const firstIndex = (isBehind: (order: number) => boolean): number => {
    const index = events.findIndex((event) => isBehind(comparePositions(event, position)));
    return index === -1 ? events.length : index;
  };
  return { before: firstIndex((order) => order >= 0), through: firstIndex((order) => order > 0) };
}

/** Events, singly and as a stream. */
export const events: Resolvers = {
  types: TYPES,
  Query: {
    event: ({ id }, context) => {
      const oldestMs = context.now() - KEPT_MS;
      return findObject({ get: (one) => context.world.events.get(one, oldestMs) }, id, context);
    },
    events: listEvents,
  },
};
