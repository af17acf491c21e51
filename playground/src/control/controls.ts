import type { FastifyRequest, RouteOptions } from 'fastify';
import { EVENT_TYPES, type EventType } from '../data/records.js';
import { FAULT_MEMBERS, type Fault } from '../faults/fault.js';
import { NOT_POSTED_REASONS, type NotPostedReason } from '../happenings/ad-lifecycle.js';
import { APPLICATION_MEMBERS, type ApplicationWish } from '../happenings/applications.js';
import { EVENT_MEMBERS, type EventWish } from '../happenings/event-maker.js';
import { COUNT, TEXT, TEXTS, type Body } from '../http/body-schemas.js';
import type { CallFilter } from '../http/call-log.js';
import type { PlaygroundClock } from '../playground-clock.js';
import type { Playground } from '../playground-handle.js';
import { SWITCH_MEMBERS, type Switches } from '../switches.js';
import { TOKEN_MEMBERS, type TokenFilter } from '../tokens/tokens.js';
import { MISCHIEF_MEMBERS, type DeliveryMischief } from '../webhooks/deliveries.js';
import type { Subscription } from '../webhooks/subscription.js';
import { SUBSCRIPTION_MEMBERS, type SubscriptionWish } from '../webhooks/webhooks.js';

/**
 * One control: what it does to a playground by each method, with the query of a request or, for `POST`, its body.
 * Each returns the body of the answer, and throws a RangeError for a wish that cannot be.
 */
export interface Control {
  /** The members of a body, as JSON Schema has them; others are refused. */
  readonly members?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Reading the call log is for the demo page; everything else is for callers on this machine. */
  readonly openToBrowsers?: boolean;
  readonly GET?: (playground: Playground, query: never) => object;
  readonly POST?: (playground: Playground, body: never) => object;
  readonly DELETE?: (playground: Playground) => object;
}

const DAY_MS = 86_400_000;
/** Where to move the clock: by one of a skew, a distance in milliseconds or days, and an instant. */
const CLOCK_MEMBERS = {
  skewMs: { type: 'number' },
  advanceMs: { type: 'number' },
  advanceDays: { type: 'number' },
  now: TEXT,
} as const;
type ClockWish = Body<typeof CLOCK_MEMBERS>;

/** Every control by its path. */
export const CONTROLS: Readonly<Record<string, Control>> = {
  calls: {
    openToBrowsers: true,
    GET: ({ calls }, filter: CallFilter) => ({ calls: calls.list(filter) }),
  },
  faults: {
    members: FAULT_MEMBERS,
    GET: ({ faults }) => ({ faults: faults.list() }),
    POST: ({ faults }, fault: Fault) => {
      faults.add(fault);
      return { faults: faults.list() };
    },
    DELETE: ({ faults }) => {
      faults.clear();
      return { faults: faults.list() };
    },
  },
  switches: {
    members: SWITCH_MEMBERS,
    GET: ({ switches }) => switches,
    POST: ({ switches }, wanted: Partial<Switches>) => Object.assign(switches, wanted),
    DELETE: ({ switches, switchesAtStart }) => Object.assign(switches, switchesAtStart),
  },
  clock: {
    members: CLOCK_MEMBERS,
    GET: clockOf,
    POST: (playground, wish: ClockWish) => {
      playground.clock.skew(skewOf(wish, playground.clock));
      return clockOf(playground);
    },
    DELETE: (playground) => {
      playground.clock.skew(0);
      return clockOf(playground);
    },
  },
  'tokens/expire': {
    members: TOKEN_MEMBERS,
    POST: ({ tokens }, filter: TokenFilter) => ({ expired: tokens.expire(filter) }),
  },
  'tokens/revoke': {
    members: TOKEN_MEMBERS,
    POST: ({ tokens }, filter: TokenFilter) => ({ revoked: tokens.revoke(filter) }),
  },
  applications: {
    members: APPLICATION_MEMBERS,
    required: ['positionProfileId'],
    GET: choicesOf,
    POST: ({ applications }, wish: ApplicationWish) => {
      const { id, members } = applications.apply(wish);
      return { eventId: id, ...members };
    },
  },
  postings: {
    members: { reason: { enum: Object.keys(NOT_POSTED_REASONS) }, count: COUNT },
    POST: ({ ads }, { reason = 'payment', count = 1 }: { reason?: NotPostedReason; count?: number }) => {
      ads.failNext(Array.from({ length: count }, () => reason));
      return { reason, count };
    },
  },
  events: {
    members: { type: { enum: EVENT_TYPES }, count: COUNT, ...EVENT_MEMBERS },
    required: ['type'],
    POST: ({ events }, { type, count = 1, ...wish }: EventWish & { type: EventType; count?: number }) => {
      const emitted = Array.from({ length: count }, () => events.emit(type, wish));
      return { eventIds: emitted.map(({ id }) => id) };
    },
  },
  'webhooks/subscriptions': {
    members: SUBSCRIPTION_MEMBERS,
    required: ['url'],
    GET: ({ webhooks }) => ({ subscriptions: [...webhooks.subscriptions.values()].map(withoutSecret) }),
    POST: ({ webhooks }, wish: SubscriptionWish) => ({
      subscriptions: webhooks.subscribeTo(wish).map(withoutSecret),
    }),
    DELETE: ({ webhooks }) => {
      webhooks.subscriptions.clear();
      return { subscriptions: [] };
    },
  },
  'webhooks/requests': {
    GET: ({ webhooks }, { eventId }: { eventId?: string }) => ({
      requests: webhooks.requests.filter(
        ({ attempts }) => eventId === undefined || attempts.some((attempt) => attempt.eventId === eventId),
      ),
    }),
  },
  'webhooks/mischief': {
    members: MISCHIEF_MEMBERS,
    GET: ({ webhooks }) => webhooks.mischief,
    POST: ({ webhooks }, mischief: DeliveryMischief) => {
      webhooks.setMischief(mischief);
      return webhooks.mischief;
    },
  },
  'webhooks/replay': {
    members: { subscriptionId: TEXT, eventIds: TEXTS },
    required: ['subscriptionId', 'eventIds'],
    POST: ({ webhooks }, { subscriptionId, eventIds }: { subscriptionId: string; eventIds: string[] }) => {
      const subscription = webhooks.subscriptions.get(subscriptionId);
      if (subscription === undefined) throw new RangeError('subscriptionId is not known.');
      return webhooks.replay(subscription, { typeCode: 'IdReplayRequest', eventIds });
    },
  },
};

function clockOf({ clock }: Playground): object {
  return { now: new Date(clock.now()).toISOString(), skewMs: clock.skewedByMs };
}

/** The ads that can be applied for, and the hirers that events can be made for. */
function choicesOf({ applications, world }: Playground): object {
  const hirers = [...world.hirers.values()].map(({ id, name }) => ({ hirerId: id, name }));
  const nameOf = new Map(hirers.map(({ hirerId, name }) => [hirerId, name]));
  const ads = applications
    .openAds()
    .map(({ id, positionTitle: title, hirerId, positionLocation: [locationId = ''] }) => ({
      positionProfileId: id,
      title,
      hirerId,
      hirer: nameOf.get(hirerId),
      location: world.locations.get(locationId)?.contextualName['en-AU'] ?? '',
    }));
  return { ads, hirers, types: EVENT_TYPES };
}

function withoutSecret(subscription: Subscription): object {
  return { ...subscription, secret: undefined, acting: { ...subscription.acting, secret: undefined } };
}

/** The last instant that ISO 8601 writes with four digits of a year. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** The skew that a wish comes to. @throws RangeError for two wishes, and for a time that cannot be */
function skewOf(wish: ClockWish, clock: PlaygroundClock): number {
  if (Object.keys(wish).length > 1) {
    throw new RangeError('Send one of skewMs, advanceMs, advanceDays and now.');
  }
  const { skewMs, advanceMs = 0, advanceDays = 0, now } = wish;
  const distanceMs = now === undefined ? advanceMs + advanceDays * DAY_MS : Date.parse(now) - clock.now();
  const wantedMs = skewMs ?? clock.skewedByMs + distanceMs;
  const nowMs = clock.now() - clock.skewedByMs + wantedMs;
  if (nowMs >= 0 && nowMs <= LATEST_MS) return Math.round(wantedMs);
  throw new RangeError('The time must be from 1970 to 9999; now is an instant such as 2026-12-24T09:00:00Z.');
}

/** Routes under `/playground/` that control and inspect the playground, on its own listener only. */
export function controlRoutes(playground: Playground): RouteOptions[] {
  return Object.entries(CONTROLS).flatMap(([name, control]) => {
    const { members, required = [], openToBrowsers = false, ...methods } = control;
    const body = { type: 'object', additionalProperties: false, required, properties: members ?? {} };
    return Object.entries(methods).map(([method, run]): RouteOptions => {
      const handler = (request: FastifyRequest): object =>
        run(playground, (method === 'POST' ? request.body : request.query) as never);
      const schema = method === 'POST' ? { body } : {};
      return {
        method,
        url: `/playground/${name}`,
        config: { name: 'control', openToBrowsers },
        schema,
        handler,
      };
    });
  });
}
