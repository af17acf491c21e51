import { randomBytes } from 'node:crypto';
import { Background } from './background.js';
import { DEMO, type GrowingDemo } from './demo.js';
import { EventSink } from './event-sink/event-sink.js';
import { Faults } from './faults/faults.js';
import { CallLog } from './http/call-log.js';
import type { PartnerClient } from './issuer/token-request.js';
import { makeClient, makePartner, type Partner } from './partner.js';
import { PlaygroundClock } from './playground-clock.js';
import type { PlaygroundOptions } from './playground-options.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import { Tokens } from './tokens/tokens.js';
import { subscribeTo, type SubscriptionWish } from './webhooks/subscribe-to.js';

/** The part of a playground that outlives a reset; each of its states is made from it. */
export interface Origin {
  readonly options: PlaygroundOptions;
  readonly background: Background;
  readonly eventSink: EventSink;
  /** Ports of this machine that webhooks never go to. */
  readonly keptFrom: Set<number>;
  /** The playground's time at start, which its data are relative to. */
  readonly startMs: number;
  readonly client: PartnerClient;
  /** Signs webhooks to subscriptions that name no secret. */
  readonly webhookSecret: string;
}

/** Everything that a reset replaces. A request sees one state from beginning to end. */
export interface State extends Partner {
  readonly background: Background;
  readonly eventSink: EventSink;
  readonly clock: PlaygroundClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly switches: Switches;
  readonly demo: GrowingDemo;
}

/**
 * Makes up credentials.
 * @param sinkNow the time of what the sink receives
 */
export function makeOrigin(options: PlaygroundOptions, sinkNow: () => number): Origin {
  return {
    options,
    background: new Background(options.onFailure),
    eventSink: new EventSink(sinkNow),
    keptFrom: new Set(),
    startMs: (options.clock ?? Date.now)(),
    client: makeClient(options.client),
    webhookSecret: options.webhookSecret ?? randomBytes(32).toString('base64url'),
  };
}

/**
 * A state as it is at start: what was made up, and what the options seed. Nothing happens in it before `beginState`.
 * @throws SeedError from `prepare`
 */
export function makeState({ options, background, eventSink, keptFrom, startMs }: Origin): State {
  const clock = new PlaygroundClock(options.clock ?? Date.now, background);
  const switches = { ...DEFAULT_SWITCHES, ...options.switches };
  const demo = structuredClone(DEMO) as GrowingDemo;
  const partner = makePartner({ ...options, background, clock, switches, startMs, demo, keptFrom });
  const log = { calls: new CallLog(), faults: new Faults(), tokens: new Tokens(clock.now) };
  const result: unknown = options.prepare?.(partner.seed);
  if (result instanceof Promise) throw new TypeError('prepare must not be async: seeding waits for nothing.');
  return { ...partner, background, eventSink, clock, switches, demo, ...log };
}

/** Subscribes the receiver of the options, and lets events happen by themselves if they say so. */
export function beginState(state: State, origin: Origin): void {
  const { webhook, eventsPerMinute } = origin.options;
  if (webhook !== undefined) subscribe(state, origin, webhook);
  if (eventsPerMinute !== undefined) state.events.setRate(eventsPerMinute);
}

/** Subscribes a receiver to the partner's events. */
export function subscribe({ webhooks }: State, { webhookSecret }: Origin, wish: SubscriptionWish): void {
  subscribeTo({ secret: webhookSecret, ...wish }, webhooks);
}

/** Ends what a state would still do: its timers and deliveries. */
export async function endState({ webhooks, clock }: State): Promise<void> {
  clock.close();
  await webhooks.close();
}
