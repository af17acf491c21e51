import type { Background } from '../background.js';
import { makeWorld, SIZE_DEFAULT } from '../data/make-world.js';
import type { GrowingDemo } from '../demo.js';
import { EventMaker } from '../happenings/event-maker.js';
import { AdLifecycle } from '../happenings/ad-lifecycle.js';
import { Applications } from '../happenings/applications.js';
import { EventFeed } from '../happenings/event-feed.js';
import type { PartnerClient } from '../issuer/token-request.js';
import type { Partner } from './partners.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { Seeding } from '../seeding/seeding.js';
import type { PartnerState } from '../state/state-file.js';
import { dumpWorld, loadWorld } from '../state/world-state.js';
import type { Switches } from '../switches.js';
import { DEFAULT_DELIVERY, type DeliverySettings } from '../webhooks/delivery-settings.js';
import { Webhooks } from '../webhooks/webhooks.js';

/** Options that the partners of a playground have in common. */
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
  /** Called whenever something has happened. */
  readonly touch: () => void;
}

/** A partner with new data, or with its kept state. */
export function makePartner(
  client: PartnerClient,
  webhookSecret: string,
  options: PartnerOptions,
  kept?: PartnerState,
): Partner {
  const {
    seed = 'playground',
    size = SIZE_DEFAULT,
    background,
    clock,
    switches,
    startMs,
    demo,
    touch,
  } = options;
  // Objects made after a restart must not get the identifiers of those made before.
  const salt = kept === undefined ? '' : String(startMs);
  const state: { made?: ReturnType<typeof makeWorld> } = {};
  const world = () => {
    if (state.made !== undefined) return state.made;
    state.made =
      kept?.world === undefined
        ? makeWorld({ seed, size, startMs })
        : loadWorld(kept.world, `${seed}:${salt}`);
    ads.resume(state.made);
    return state.made;
  };
  const delivery = { ...DEFAULT_DELIVERY, ...options.delivery };
  const changeDelayMs = () => switches.webhookChangeDelayMs;
  const webhooks = new Webhooks(world, clock, delivery, changeDelayMs, touch, background, options.keptFrom);
  const feed = new EventFeed(world, webhooks, clock.now, touch);
  const ads = new AdLifecycle(world, clock, feed, switches);
  const applications = new Applications(world, feed, clock.now, salt);
  if (kept !== undefined) {
    webhooks.restore(kept);
    // Ads may have to close: their time passes even if no request reads them.
    if (kept.world !== undefined) world();
  }
  return {
    client,
    webhookSecret,
    world,
    webhooks,
    feed,
    ads,
    applications,
    seed: new Seeding({ world, demo, ads, feed, now: clock.now, touch }, `${seed}:${salt}`),
    events: new EventMaker(world, clock, feed, ads, applications, salt),
    dump: () => (state.made === undefined ? {} : { world: dumpWorld(state.made) }),
  };
}
