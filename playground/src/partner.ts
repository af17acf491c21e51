import { randomBytes, randomUUID } from 'node:crypto';
import type { Background } from './background.js';
import { makeWorld, SIZE_DEFAULT } from './data/make-world.js';
import type { World } from './data/world.js';
import type { GrowingDemo } from './demo.js';
import { AdLifecycle } from './happenings/ad-lifecycle.js';
import { Applications } from './happenings/applications.js';
import { EventFeed } from './happenings/event-feed.js';
import { EventMaker } from './happenings/event-maker.js';
import type { PartnerClient } from './issuer/token-request.js';
import type { PlaygroundClock } from './playground-clock.js';
import { Seeding } from './seeding/seeding.js';
import type { Switches } from './switches.js';
import { DEFAULT_DELIVERY, type DeliverySettings } from './webhooks/delivery-settings.js';
import { Webhooks } from './webhooks/webhooks.js';

/** The one partner: its data, and what happens to them. */
export interface Partner {
  /** Generated on first access. */
  readonly world: () => World;
  readonly webhooks: Webhooks;
  readonly feed: EventFeed;
  readonly ads: AdLifecycle;
  readonly applications: Applications;
  readonly events: EventMaker;
  readonly seed: Seeding;
}

/** What the partner's data are made from. */
export interface PartnerOptions {
  readonly seed?: string;
  readonly size?: number;
  readonly delivery?: Partial<DeliverySettings>;
  readonly background: Background;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  /** The playground's time at start, which made-up data are relative to. */
  readonly startMs: number;
  readonly demo: GrowingDemo;
  /** Ports of this machine that webhooks never go to. */
  readonly keptFrom: ReadonlySet<number>;
}

/** The partner with new data. */
export function makePartner(options: PartnerOptions): Partner {
  const { seed = 'playground', size = SIZE_DEFAULT, background, clock, switches, startMs, demo } = options;
  let made: World | undefined;
  const world = () => {
    if (made !== undefined) return made;
    made = makeWorld({ seed, size, startMs });
    ads.resume(made);
    return made;
  };
  const delivery = { ...DEFAULT_DELIVERY, ...options.delivery };
  const webhooks = new Webhooks(world, clock, delivery, background, options.keptFrom);
  const feed = new EventFeed(world, webhooks, clock.now);
  const ads = new AdLifecycle(world, clock, feed, switches);
  const applications = new Applications(world, feed, clock.now);
  return {
    world,
    webhooks,
    feed,
    ads,
    applications,
    seed: new Seeding({ world, demo, ads, feed, now: clock.now }, `${seed}:`),
    events: new EventMaker(world, clock, feed, ads, applications),
  };
}

/** A client with the given members, and random credentials otherwise. */
export function makeClient(given: Partial<PartnerClient> = {}): PartnerClient {
  return {
    clientId: `playground-${randomUUID()}`,
    clientSecret: randomBytes(32).toString('base64url'),
    audience: 'https://test.graphql.playground.example',
    ...given,
  };
}
