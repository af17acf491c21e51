import { randomBytes, randomUUID } from 'node:crypto';
import { Background } from './background.js';
import { makeWorld, SIZE_DEFAULT } from './data/make-world.js';
import type { World } from './data/world.js';
import { DEMO, type GrowingDemo } from './demo.js';
import { Faults } from './faults/faults.js';
import { AdLifecycle } from './happenings/ad-lifecycle.js';
import { Applications } from './happenings/applications.js';
import { EventFeed } from './happenings/event-feed.js';
import { EventMaker } from './happenings/event-maker.js';
import { CallLog } from './http/call-log.js';
import { PlaygroundClock } from './playground-clock.js';
import type { Client, PlaygroundOptions } from './playground-options.js';
import { Seeding } from './seeding/seeding.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import { Tokens } from './tokens/tokens.js';
import { DEFAULT_DELIVERY } from './webhooks/deliveries.js';
import { Webhooks, type SubscriptionWish } from './webhooks/webhooks.js';

/** The part of a playground that outlives a reset; each of its states is made from it. */
export interface Origin {
  readonly options: PlaygroundOptions;
  readonly background: Background;
  /** Ports of this machine that webhooks never go to. */
  readonly keptFrom: Set<number>;
  /** The playground's time at start, which its data are relative to. */
  readonly startMs: number;
  readonly client: Client;
  /** Signs webhooks to subscriptions that name no secret. */
  readonly webhookSecret: string;
}

/** The parts that a reset replaces, by which a playground is used. */
export interface StateParts {
  /** The users, hirers and memberships of the identity provider, seeded ones included. */
  readonly demo: GrowingDemo;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  readonly webhooks: Webhooks;
  /** Makes things happen at the upstream; every event that is asked for begins here. */
  readonly events: EventMaker;
  /** Candidates who apply. */
  readonly applications: Applications;
  /** How ads fare. */
  readonly ads: AdLifecycle;
  /** Adds users, hirers, ads and applications to the world. */
  readonly seed: Seeding;
}

/** Everything that a reset replaces. A request sees one state from beginning to end. */
export interface State extends StateParts {
  /** The partner's data; generated on first access. */
  readonly world: () => World;
  readonly feed: EventFeed;
}

/** Makes up credentials. */
export function makeOrigin(options: PlaygroundOptions): Origin {
  return {
    options,
    background: new Background(options.onFailure),
    keptFrom: new Set(),
    startMs: (options.clock ?? Date.now)(),
    client: {
      clientId: `playground-${randomUUID()}`,
      clientSecret: randomBytes(32).toString('base64url'),
      audience: 'https://test.graphql.playground.example',
      ...options.client,
    },
    webhookSecret: options.webhookSecret ?? randomBytes(32).toString('base64url'),
  };
}

/**
 * A state as it is at start: what was made up, and what the options seed. Nothing happens in it before `beginState`.
 * @throws SeedError from `prepare`
 */
export function makeState({ options, background, keptFrom, startMs }: Origin): State {
  const { seed: text = 'playground', size = SIZE_DEFAULT, prepare } = options;
  const clock = new PlaygroundClock(options.clock ?? Date.now, background);
  const switches = { ...DEFAULT_SWITCHES, ...options.switches };
  const demo = structuredClone(DEMO) as GrowingDemo;
  let made: World | undefined;
  const world = () => {
    if (made !== undefined) return made;
    made = makeWorld({ seed: text, size, startMs });
    ads.resume(made);
    return made;
  };
  const delivery = { ...DEFAULT_DELIVERY, ...options.delivery };
  const webhooks = new Webhooks(world, clock, delivery, background, keptFrom);
  const feed = new EventFeed(world, webhooks, clock.now);
  const ads = new AdLifecycle(world, clock, feed, switches);
  const applications = new Applications(world, feed, clock.now);
  const events = new EventMaker(world, clock, feed, ads, applications);
  const seed = new Seeding({ world, demo, ads, feed, now: clock.now }, `${text}:`);
  const result: unknown = prepare?.(seed);
  if (result instanceof Promise) throw new TypeError('prepare must not be async: seeding waits for nothing.');
  const log = { calls: new CallLog(), faults: new Faults(), tokens: new Tokens(clock.now) };
  return { clock, switches, demo, ...log, world, webhooks, feed, ads, applications, events, seed };
}

/** Subscribes the receiver of the options. */
export function beginState(state: State, origin: Origin): void {
  const { webhook } = origin.options;
  if (webhook !== undefined) subscribe(state, origin, webhook);
}

/** Subscribes a receiver to the partner's events. */
export function subscribe({ webhooks }: State, { webhookSecret }: Origin, wish: SubscriptionWish): void {
  webhooks.subscribeTo({ secret: webhookSecret, ...wish });
}

/** Ends what a state would still do: its timers and deliveries. */
export async function endState({ webhooks, clock }: State): Promise<void> {
  clock.close();
  await webhooks.close();
}
