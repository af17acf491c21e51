import { RELATIONSHIP_TYPES, type Hirer } from '../data/hirers.js';
import { addCandidate } from '../data/candidates/make-candidate.js';
import { isLive, isPosted, type PostedProfile } from '../data/positions/position-records.js';
import { SeededRandom } from '../data/random.js';
import type { EventRecord, EventType } from '../data/records.js';
import type { World } from '../data/world.js';
import { TEXT, type Body } from '../http/body-schemas.js';
import type { AdLifecycle } from './ad-lifecycle.js';
import { membersOf, type Applications } from './applications.js';
import type { EventFeed } from './event-feed.js';
import type { PlaygroundClock } from '../playground-clock.js';

/** Ten years: longer than any event is kept. */
const LATE_MS_MAX = 3_650 * 86_400_000;

/** What an event to make is about, as JSON Schema has it. */
export const EVENT_MEMBERS = {
  /** The first related hirer by default. */
  hirerId: TEXT,
  /** How long before now it happened: it enters the stream behind readers that have passed. */
  lateMs: { type: 'number', minimum: -LATE_MS_MAX, maximum: LATE_MS_MAX },
  /** HirerRelationshipChanged only: the relationships from now on. */
  relationships: { type: 'array', items: { enum: RELATIONSHIP_TYPES } },
  /** Type-specific members of the event; nothing else changes then. */
  members: { type: 'object', additionalProperties: TEXT },
} as const;
/** The subject of an event to make. */
export type EventWish = Body<typeof EVENT_MEMBERS>;

/**
 * Makes events on request, and applies the change that each describes to an object of the hirer, so that it is true.
 */
export class EventMaker {
  private readonly random = new SeededRandom('events');

  constructor(
    private readonly world: () => World,
    private readonly clock: PlaygroundClock,
    private readonly feed: EventFeed,
    private readonly ads: AdLifecycle,
    private readonly applications: Applications,
  ) {}

  /** @throws RangeError for an unknown hirer */
  emit(type: EventType, wish: EventWish = {}): EventRecord {
    const hirer = this.hirerOf(wish.hirerId);
    if (wish.relationships !== undefined) hirer.relationships = [...wish.relationships];
    const { lateMs = 0 } = wish;
    const members = wish.members ?? this.happen(type, hirer, this.clock.now() - lateMs);
    return this.feed.tell(type, { hirerId: hirer.id, members, lateMs });
  }

  private hirerOf(hirerId: string | undefined): Hirer {
    const hirers = [...this.world().hirers.values()];
    const hirer = hirerId === undefined ? hirers[0] : hirers.find(({ id }) => id === hirerId);
    if (hirer === undefined) throw new RangeError(`There is no hirer ${String(hirerId)}`);
    return hirer;
  }

  /** Applies the change that the event describes, and returns the members of the event. */
  private happen(type: EventType, hirer: Hirer, atMs: number): Record<string, string> {
    switch (type) {
      case 'CandidateApplicationCreated':
        return membersOf(this.applications.add({ positionProfileId: this.adToApplyFor(hirer).id }));
      case 'CandidateProfilePurchased': {
        const unposted = [...this.world().positionProfiles.values()].filter(
          ({ hirerId, ad }) => hirerId === hirer.id && ad === null,
        );
        const positionProfileId = unposted.length === 0 ? null : this.random.pick(unposted).id;
        const plan = { createdMs: atMs, positionProfileId };
        return { candidateProfileId: addCandidate(this.world(), hirer, this.random, 'purchase', plan).id };
      }
      case 'HirerRelationshipChanged':
        return { hirerId: hirer.id };
      case 'PositionProfilePosted':
        return { positionProfileId: this.ads.publish(this.newAd(hirer, atMs)).id };
      case 'PositionProfileUpdated': {
        const profile = this.liveAd(hirer);
        const { positionTitle: title } = profile;
        profile.positionTitle = /^Senior /.test(title) ? title.slice(7) : `Senior ${title}`;
        return { positionProfileId: profile.id };
      }
      case 'PositionProfileClosed':
        return { positionProfileId: this.ads.end(this.liveAd(hirer)).id };
      case 'PositionNotPosted':
        return this.ads.giveUp(this.newAd(hirer, atMs), 'payment');
    }
  }

  /** A live ad; a new one if the hirer has none. */
  private liveAd(hirer: Hirer, isWanted: (ad: PostedProfile) => boolean = () => true): PostedProfile {
    const live = [...this.world().positionProfiles.values()]
      .filter(isPosted)
      .filter((one) => one.hirerId === hirer.id && isLive(one, this.clock.now()) && isWanted(one));
    return live.length > 0 ? this.random.pick(live) : this.ads.publish(this.newAd(hirer, this.clock.now()));
  }

  /** Applications for an ad with a form of the hirer's own never reach the upstream. */
  private adToApplyFor(hirer: Hirer): PostedProfile {
    const found = this.liveAd(hirer, ({ ad }) => ad.applicationUri === null);
    found.ad.applicationUri = null;
    return found;
  }

  private newAd(hirer: Hirer, postedMs: number): PostedProfile {
    return this.ads.make(hirer, this.random, { postedMs });
  }
}
