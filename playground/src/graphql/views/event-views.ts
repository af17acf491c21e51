import { comparePositions, type StreamPosition } from '../../data/event-stream.js';
import { EVENT_TYPES, type EventRecord } from '../../data/records.js';
import { isFor } from '../../webhooks/subscription.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import type { RootFields } from '../root-fields.js';
import { assertIdOfPlayground, assertScheme } from '../scheme.js';
import { candidateProfileView, candidateView } from './candidate-views.js';
import { assertOneOf } from './ontology-views.js';
import { findHirer } from './organization-views.js';
import { positionProfileView } from './position-views.js';
import { pageOfAttempts, type AttemptsArgs } from './webhook-views.js';

const DAY_MS = 86_400_000;

/** The schema type of an event. The objects it refers to are read when they are selected, under the hirer's relationships at that moment. */
export function eventView(event: EventRecord): object {
  const member = (name: string): string => event.members[name] ?? '';
  const pointAt =
    <T>(name: string, find: (context: Context, id: string) => T | undefined, view: (found: T) => object) =>
    (_args: unknown, context: Context): object | null => {
      assertHirer(event.hirerId, context);
      const found = find(context, member(name));
      return found === undefined ? null : view(found);
    };
  const candidateIdOf = ({ world }: Context): string =>
    event.members['candidateId'] ??
    world.candidateProfiles.get(member('candidateProfileId'))?.candidateId ??
    '';
  const profileOf = (context: Context, id: string) => context.world.candidateProfiles.get(id);
  return {
    __typename: `${event.type}Event`,
    id: { value: event.id },
    typeCode: event.type,
    schemeId: event.schemeId,
    createDateTime: new Date(event.createdMs).toISOString(),
    webhookAttempts: (args: AttemptsArgs, context: Context) => pageOfAttempts(event.id, args, context),
    hirer: (_args: unknown, context: Context) => findHirer(event.hirerId, context),
    hirerId: { value: event.hirerId },
    candidateId: (_args: unknown, context: Context) => ({ value: candidateIdOf(context) }),
    candidate: pointAt(
      'candidateId',
      (context) => context.world.candidates.get(candidateIdOf(context)),
      candidateView,
    ),
    candidateApplicationProfileId: { value: member('candidateApplicationProfileId') },
    candidateApplicationProfile: pointAt('candidateApplicationProfileId', profileOf, candidateProfileView),
    candidateProfileId: { value: member('candidateProfileId') },
    candidateProfile: pointAt('candidateProfileId', profileOf, candidateProfileView),
    positionProfileId: { value: member('positionProfileId') },
    positionProfile: pointAt(
      'positionProfileId',
      ({ world }, id) => world.positionProfiles.get(id),
      positionProfileView,
    ),
    reasonId: { value: member('reasonId') },
    seekPartnerPositionId: member('seekPartnerPositionId'),
  };
}

interface EventsArgs extends PageArgs {
  readonly schemeId: string;
  readonly filter?: {
    readonly afterDateTime?: Date | null;
    readonly beforeDateTime?: Date | null;
    readonly eventTypeCodes?: readonly string[] | null;
    readonly subscriptionId?: string | null;
    readonly deliveredIndicator?: boolean | null;
  } | null;
}

function listEvents({ schemeId, filter, ...page }: EventsArgs, context: Context): object {
  assertScheme(schemeId);
  const { world, switches, now } = context;
  const isFirstPage = page.after == null && page.before == null;
  const [afterMs, beforeMs] = isFirstPage
    ? [filter?.afterDateTime?.getTime() ?? -Infinity, filter?.beforeDateTime?.getTime() ?? Infinity]
    : [-Infinity, Infinity];
  const isWanted = subscriptionFilter(filter ?? {}, context);
  const codes = filter?.eventTypeCodes ?? EVENT_TYPES;
  for (const code of codes) assertOneOf(code, EVENT_TYPES, 'eventTypeCodes');
  const events = world.events
    .since(now() - switches.eventRetentionDays * DAY_MS)
    .filter((event) => event.schemeId === schemeId && codes.includes(event.type) && isWanted(event))
    .filter(({ streamMs }) => streamMs > afterMs && streamMs < beforeMs);
  return pageOf(events, page, {
    sizeMax: 100,
    keyOf: ({ streamMs, id }) => `${String(streamMs)}|${id}`,
    placeAfter,
    node: eventView,
    edge: ({ streamMs }) => ({ streamDateTime: new Date(streamMs).toISOString() }),
  });
}

/** By subscription, and by what has been delivered for it. */
function subscriptionFilter(
  { subscriptionId, deliveredIndicator }: NonNullable<NonNullable<EventsArgs['filter']>>,
  { webhooks }: Context,
): (event: EventRecord) => boolean {
  if (subscriptionId == null) {
    if (deliveredIndicator == null) return () => true;
    throw graphqlError('BAD_USER_INPUT', 'deliveredIndicator requires subscriptionId.');
  }
  const subscription = requireObject(webhooks.subscriptions, subscriptionId, 'subscriptionId');
  return (event) =>
    isFor(subscription, event) &&
    (deliveredIndicator == null || webhooks.isDelivered(event.id, subscriptionId) === deliveredIndicator);
}

/** Also works for events that are no longer kept: a reader that returns late continues with the earliest. */
function placeAfter(events: readonly EventRecord[], key: string): number {
  const [streamMs, id = ''] = key.split('|');
  const position: StreamPosition = { streamMs: Number(streamMs), id };
  const index = events.findIndex((event) => comparePositions(event, position) > 0);
  return index === -1 ? events.length : index;
}

/** Queries for events, singly and as a stream. */
export const eventQueries: RootFields = {
  event: ({ id }: { id: string }, context) => {
    const event = context.world.events.get(id);
    if (event === undefined) assertIdOfPlayground(id);
    const oldestMs = context.now() - context.switches.eventRetentionDays * DAY_MS;
    return event === undefined || event.streamMs < oldestMs ? null : eventView(event);
  },
  events: listEvents,
};
