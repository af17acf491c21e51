import type { Person } from '../candidates/people.js';

/** The types of ads, from the plainest to the most visible. */
export const AD_TYPES = ['Classic', 'StandOut', 'Premium'] as const;
/** One of the {@link AD_TYPES}. */
export type AdType = (typeof AD_TYPES)[number];

/** Part of how a position is described to candidates. */
export interface Description {
  readonly descriptionId: string;
  readonly content: string;
}

/** An amount in the main unit of its currency. */
export interface Amount {
  readonly currency: string;
  readonly value: number;
}

/** The pay offered for a position. */
export interface Remuneration {
  readonly basisCode: string;
  readonly descriptions: readonly string[];
  readonly ranges: readonly {
    readonly intervalCode: string;
    readonly minimumAmount: Amount;
    /** The same as the minimum when null. */
    readonly maximumAmount: Amount | null;
  }[];
}

/** A person whom the partner named for a position opening, or as the one who took a step. */
export interface Contact extends Person {
  readonly roleCode?: string | null;
}

/** A vacancy of a hirer. */
export interface PositionOpening {
  readonly id: string;
  readonly hirerId: string;
  statusCode: string;
  contacts: readonly Contact[];
  seekPartnerMetadata: string | null;
  /** The newest last. */
  readonly profileIds: string[];
}

/** A video within an ad. */
export interface Video {
  readonly url: string;
  readonly seekAnzPositionCode: string;
}

/** The part of a profile that a mutation may replace; as the schema has it, with identifiers in place of objects. */
export interface ProfileContent {
  positionTitle: string;
  positionLocation: readonly string[];
  jobCategories: readonly string[];
  positionFormattedDescriptions: readonly Description[];
  offeredRemunerationPackage: Remuneration;
  positionScheduleTypeCodes: readonly string[] | null;
  seekBillingReference: string | null;
  seekHirerJobReference: string | null;
  seekPartnerMetadata: string | null;
}

/** The part of a profile that only an ad has: `postingInstructions[0]` of the schema, and what it does not show. */
export interface Advertisement {
  workTypeCode: string | null;
  seekAnzAdvertisementType: AdType;
  brandingId: string | null;
  /** The hirer's own form; null for applications on the job board. */
  applicationUri: string | null;
  video: Video | null;
  readonly questionnaireId: string | null;
  readonly workArrangementCodes: readonly string[];
  readonly idempotencyId: string | null;
  readonly createdBySelf: boolean;
  readonly startMs: number;
  /** Closed from this time on. */
  endMs: number;
  /** Until an ad is processed, it cannot be read; one that failed never can. */
  processing: 'pending' | 'done' | 'failed';
}

/** A position profile: an ad, or a profile for internal use. */
export interface PositionProfile extends ProfileContent {
  readonly id: string;
  readonly openingId: string;
  readonly hirerId: string;
  /** The name that the hirer knows a profile without an ad by. */
  profileName: string | null;
  /** Null for a profile that is not posted. */
  readonly ad: Advertisement | null;
}

/** A position profile with an ad. */
export type PostedProfile = PositionProfile & { readonly ad: Advertisement };

/** True if a profile is an ad that has been processed. */
export function isPosted(profile: PositionProfile | undefined): profile is PostedProfile {
  return profile?.ad?.processing === 'done';
}

/** True if candidates can apply for an ad now. */
export function isLive({ ad }: PositionProfile, nowMs: number): boolean {
  return ad?.processing === 'done' && ad.startMs <= nowMs && nowMs < ad.endMs;
}
