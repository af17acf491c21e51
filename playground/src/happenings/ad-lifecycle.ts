import type { CandidateProfile } from '../data/candidates/candidate-records.js';
import type { Hirer } from '../data/hirers.js';
import { makeOpening, makePosition, type PositionPlan } from '../data/positions/make-position.js';
import { isLive, isPosted, type PostedProfile } from '../data/positions/position-records.js';
import type { SeededRandom } from '../data/random.js';
import type { EventType } from '../data/records.js';
import type { World } from '../data/world.js';
import type { PlaygroundClock } from '../playground-clock.js';
import type { Switches } from '../switches.js';
import type { EventFeed } from './event-feed.js';

const RETENTION_MS = 180 * 86_400_000;

/** The reasons for not posting an ad. */
export const NOT_POSTED_REASONS = {
  relationship: 'globalPublicTest:positionNotPostedReason:seek:2Rn7VqLx',
  payment: 'globalPublicTest:positionNotPostedReason:seek:3Sp8WrMy',
  content: 'globalPublicTest:positionNotPostedReason:seek:4Tq9XsNz',
} as const;
/** One of the keys of {@link NOT_POSTED_REASONS}. */
export type NotPostedReason = keyof typeof NOT_POSTED_REASONS;

/**
 * The life of an ad, by the playground's clock: it is processed after a delay, closes when it ends, and is forgotten
 * with its applications 180 days later (interface 14). Each step emits an event.
 */
export class AdLifecycle {
  private readonly failures: NotPostedReason[] = [];
  /** Calls the next step of an ad off: it has one at a time. */
  private readonly cancels = new Map<string, () => void>();

  constructor(
    private readonly world: () => World,
    private readonly clock: PlaygroundClock,
    private readonly feed: EventFeed,
    private readonly switches: Readonly<Switches>,
  ) {}

  /** Schedules the next step of every ad of a new world. */
  resume(world: World): void {
    for (const profile of world.positionProfiles.values()) {
      if (isPosted(profile)) this.planEnd(profile);
      else if (profile.ad?.processing === 'pending') this.planProcessing(profile as PostedProfile);
    }
  }

  /** Stores a new ad. An event reports after a delay whether it was posted. */
  post(profile: PostedProfile): void {
    this.add(profile);
    this.planProcessing(profile);
  }

  /** Makes the next ads fail, one for each reason. */
  failNext(reasons: readonly NotPostedReason[]): void {
    this.failures.push(...reasons);
  }

  /** Closes an ad immediately and emits the event. */
  close(profile: PostedProfile): void {
    this.tell('PositionProfileClosed', this.end(profile));
  }

  /** Schedules the end of an ad, after it was set, in place of an earlier one. */
  planEnd(profile: PostedProfile): void {
    const { endMs } = profile.ad;
    if (endMs <= this.clock.now()) this.planForgetting(profile);
    else this.plan(profile, endMs, () => this.close(profile));
  }

  /** Adds an ad to the world, without scheduling its next step. */
  private add(profile: PostedProfile): void {
    const world = this.world();
    world.positionProfiles.set(profile.id, profile);
    world.openings.get(profile.openingId)?.profileIds.push(profile.id);
  }

  /** Adds a made-up ad with an opening of its own, without scheduling its next step. */
  make(hirer: Hirer, random: SeededRandom, plan: Omit<PositionPlan, 'startMs' | 'isPosted'>): PostedProfile {
    const world = this.world();
    const opening = makeOpening(hirer, random);
    const times = { startMs: this.clock.now(), isPosted: true };
    const profile = makePosition(world, hirer, opening, random, { ...times, ...plan }) as PostedProfile;
    world.openings.set(opening.id, opening);
    this.add(profile);
    return profile;
  }

  /** Makes an ad public, without an event. */
  publish(profile: PostedProfile): PostedProfile {
    profile.ad.processing = 'done';
    const opening = this.world().openings.get(profile.openingId);
    if (opening !== undefined) opening.statusCode = 'Active';
    this.planEnd(profile);
    return profile;
  }

  /** Gives up on an ad for a reason, without an event. Returns the members of the event to emit. */
  giveUp(profile: PostedProfile, reason: NotPostedReason): Record<string, string> {
    profile.ad.processing = 'failed';
    return { reasonId: NOT_POSTED_REASONS[reason], seekPartnerPositionId: profile.id };
  }

  /** Closes an ad immediately, without an event. Its opening is closed with its last live ad. */
  end(profile: PostedProfile): PostedProfile {
    const world = this.world();
    profile.ad.endMs = this.clock.now();
    this.planForgetting(profile);
    const opening = world.openings.get(profile.openingId);
    const ads = opening?.profileIds.map((id) => world.positionProfiles.get(id)).filter(isPosted) ?? [];
    if (opening !== undefined && !ads.some((ad) => isLive(ad, this.clock.now()))) {
      opening.statusCode = 'Closed';
    }
    return profile;
  }

  private planProcessing(profile: PostedProfile): void {
    this.clock.after(this.switches.postingDelayMs, () => {
      if (profile.ad.processing !== 'pending') return;
      const { relationships = [] } = this.world().hirers.get(profile.hirerId) ?? {};
      const reason = relationships.includes('JobPosting') ? this.failures.shift() : 'relationship';
      if (reason === undefined) this.tell('PositionProfilePosted', this.publish(profile));
      else this.tell('PositionNotPosted', profile, this.giveUp(profile, reason));
    });
  }

  private tell(
    type: EventType,
    { id, hirerId }: PostedProfile,
    members: Readonly<Record<string, string>> = { positionProfileId: id },
  ): void {
    this.feed.tell(type, { hirerId, members });
  }

  private planForgetting(profile: PostedProfile): void {
    this.plan(profile, profile.ad.endMs + RETENTION_MS, () => {
      this.cancels.delete(profile.id);
      forgetAd(profile, this.world());
    });
  }

  private plan({ id }: PostedProfile, atMs: number, step: () => void): void {
    this.cancels.get(id)?.();
    this.cancels.set(id, this.clock.at(atMs, step));
  }
}

/** Removes an ad with its applications, and the candidates who have no other profile. */
function forgetAd({ id, openingId }: PostedProfile, world: World): void {
  world.positionProfiles.delete(id);
  const opening = world.openings.get(openingId);
  opening?.profileIds.splice(opening.profileIds.indexOf(id), 1);
  if (opening?.profileIds.length === 0) world.openings.delete(openingId);
  for (const profile of world.candidateProfiles.values()) {
    if (profile.positionProfileId === id && profile.kind === 'application') forgetApplication(profile, world);
  }
}

function forgetApplication({ id, candidateId, attachmentIds }: CandidateProfile, world: World): void {
  world.candidateProfiles.delete(id);
  for (const attachmentId of attachmentIds) world.attachments.delete(attachmentId);
  for (const step of world.stepsOf(id)) world.steps.delete(step.id);
  const candidate = world.candidates.get(candidateId);
  candidate?.profileIds.splice(candidate.profileIds.indexOf(id), 1);
  if (candidate?.profileIds.length === 0) world.candidates.delete(candidateId);
}
