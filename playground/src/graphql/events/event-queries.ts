import { comparePositions, type StreamPosition } from '../../data/events/event-stream.js';
import { EVENT_TYPES, type EventRecord } from '../../data/records.js';
import { isFor } from '../../webhooks/subscription.js';
import type { Context, RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertEachOneOf } from '../input-checks.js';
import { pageOf, type PageArgs, type Place } from '../paging.js';
import { assertIdOfPlayground, assertScheme } from '../scheme.js';
import { eventView } from './event-views.js';

/** How long events can be read. */
const KEPT_MS = 90 * 86_400_000;

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
  const { world, now } = context;
  const isFirstPage = page.after == null && page.before == null;
  const [afterMs, beforeMs] = isFirstPage
    ? [filter?.afterDateTime?.getTime() ?? -Infinity, filter?.beforeDateTime?.getTime() ?? Infinity]
    : [-Infinity, Infinity];
  const isWanted = subscriptionFilter(filter ?? {}, context);
  const codes: readonly string[] = filter?.eventTypeCodes ?? EVENT_TYPES;
  assertEachOneOf(codes, EVENT_TYPES, 'filter.eventTypeCodes');
  const events = world.events
    .since(now() - KEPT_MS)
    .filter((event) => event.schemeId === schemeId && codes.includes(event.type) && isWanted(event))
    .filter(({ streamMs }) => streamMs > afterMs && streamMs < beforeMs);
  return pageOf(events, page, {
    list: 'events',
    sizeMax: 100,
    keyOf: ({ streamMs, id }) => `${String(streamMs)}|${id}`,
    placeOf,
    node: eventView,
    edge: ({ streamMs }) => ({ streamDateTime: new Date(streamMs).toISOString() }),
  });
}

/** A filter of events by subscription, and by whether an event has been delivered for it. */
function subscriptionFilter(
  { subscriptionId, deliveredIndicator }: NonNullable<NonNullable<EventsArgs['filter']>>,
  { webhooks }: Context,
): (event: EventRecord) => boolean {
  if (subscriptionId == null) {
    if (deliveredIndicator == null) return () => true;
    throw invalid('filter.deliveredIndicator', 'requires subscriptionId');
  }
  const subscription = requireObject(webhooks.subscriptions, subscriptionId, 'filter.subscriptionId');
  return (event) =>
    isFor(subscription, event) &&
    (deliveredIndicator == null || webhooks.isDelivered(event.id, subscriptionId) === deliveredIndicator);
}

/**
 * Also works for events that the filter leaves out, and for those that are no longer kept: a reader that returns late
 * continues with the earliest.
 */
function placeOf(events: readonly EventRecord[], key: string): Place {
  const [streamMs, id = ''] = key.split('|');
  const position: StreamPosition = { streamMs: Number(streamMs), id };
  const firstIndex = (isBehind: (order: number) => boolean): number => {
    const index = events.findIndex((event) => isBehind(comparePositions(event, position)));
    return index === -1 ? events.length : index;
  };
  return { before: firstIndex((order) => order >= 0), through: firstIndex((order) => order > 0) };
}

/** Queries for events, singly and as a stream. */
export const eventQueries: RootFields = {
  event: ({ id }: { id: string }, context) => {
    const event = context.world.events.get(id);
    if (event === undefined) assertIdOfPlayground(id);
    const oldestMs = context.now() - KEPT_MS;
    return event === undefined || event.streamMs < oldestMs ? null : eventView(event);
  },
  events: listEvents,
};
