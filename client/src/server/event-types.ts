// Written by "npm run docs" from the service's table of event types and the operations that go with events.
import type { DeliveryOf, EventData, ObjectError, OtherDelivery } from './deliveries.js';
import type { DeliveredApplicationQuery, DeliveredHirerQuery, DeliveredPositionProfileQuery, DeliveredPurchasedProfileQuery, DeliveredUnpostedAdQuery } from './operations.js';

/** The data of {@link CandidateApplicationCreated}. */
export interface CandidateApplicationCreatedData extends EventData {
  /** The candidate. */
  readonly candidateId?: string;
  /** The application: the profile of the candidate as it was sent. */
  readonly candidateApplicationProfileId?: string;
  /** What the event names, as DeliveredApplication answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredApplicationQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** A candidate applied for a position. */
export type CandidateApplicationCreated = DeliveryOf<'CandidateApplicationCreated', CandidateApplicationCreatedData>;

/** The data of {@link CandidateProfilePurchased}. */
export interface CandidateProfilePurchasedData extends EventData {
  /** The profile. */
  readonly candidateProfileId?: string;
  /** What the event names, as DeliveredPurchasedProfile answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredPurchasedProfileQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** A hirer purchased the profile of a candidate. */
export type CandidateProfilePurchased = DeliveryOf<'CandidateProfilePurchased', CandidateProfilePurchasedData>;

/** The data of {@link HirerRelationshipChanged}. */
export interface HirerRelationshipChangedData extends EventData {
  /** What the event names, as DeliveredHirer answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredHirerQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** The relationships of a hirer with the partner changed. */
export type HirerRelationshipChanged = DeliveryOf<'HirerRelationshipChanged', HirerRelationshipChangedData>;

/** The data of {@link PositionProfilePosted}. */
export interface PositionProfilePostedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
  /** What the event names, as DeliveredPositionProfile answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredPositionProfileQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** An ad went live. */
export type PositionProfilePosted = DeliveryOf<'PositionProfilePosted', PositionProfilePostedData>;

/** The data of {@link PositionProfileUpdated}. */
export interface PositionProfileUpdatedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
  /** What the event names, as DeliveredPositionProfile answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredPositionProfileQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** A live ad was changed. */
export type PositionProfileUpdated = DeliveryOf<'PositionProfileUpdated', PositionProfileUpdatedData>;

/** The data of {@link PositionProfileClosed}. */
export interface PositionProfileClosedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
  /** What the event names, as DeliveredPositionProfile answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredPositionProfileQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** An ad was closed, or reached its end. */
export type PositionProfileClosed = DeliveryOf<'PositionProfileClosed', PositionProfileClosedData>;

/** The data of {@link PositionNotPosted}. */
export interface PositionNotPostedData extends EventData {
  /** Identifies the reason. */
  readonly reasonId?: string;
  /** The partner's own identifier of the position. */
  readonly seekPartnerPositionId?: string;
  /** What the event names, as DeliveredUnpostedAd answers. Null where it is gone; missing where `objectErrors` says why. */
  readonly object?: DeliveredUnpostedAdQuery | null;
  /** Why the object, or a part of it, is missing. */
  readonly objectErrors?: readonly ObjectError[];
}

/** A position could not be advertised. */
export type PositionNotPosted = DeliveryOf<'PositionNotPosted', PositionNotPostedData>;

/** A verified delivery, told apart by `type`. */
export type Delivery =
  | CandidateApplicationCreated
  | CandidateProfilePurchased
  | HirerRelationshipChanged
  | PositionProfilePosted
  | PositionProfileUpdated
  | PositionProfileClosed
  | PositionNotPosted
  | OtherDelivery;
