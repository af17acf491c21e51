// Written by "npm run docs" from the service's table of event types and the operations that go with events.
import type { DeliveryOf, EventData, OtherDelivery } from './deliveries.js';

/** A candidate applied for a position. */
export interface CandidateApplicationCreatedData extends EventData {
  /** The candidate. */
  readonly candidateId?: string;
  /** The application: the profile of the candidate as it was sent. */
  readonly candidateApplicationProfileId?: string;
}

/** A candidate applied for a position. */
export type CandidateApplicationCreated = DeliveryOf<'CandidateApplicationCreated', CandidateApplicationCreatedData>;

/** A hirer purchased the profile of a candidate. */
export interface CandidateProfilePurchasedData extends EventData {
  /** The profile. */
  readonly candidateProfileId?: string;
}

/** A hirer purchased the profile of a candidate. */
export type CandidateProfilePurchased = DeliveryOf<'CandidateProfilePurchased', CandidateProfilePurchasedData>;

/** The relationships of a hirer with the partner changed. */
export type HirerRelationshipChanged = DeliveryOf<'HirerRelationshipChanged', EventData>;

/** An ad went live. */
export interface PositionProfilePostedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
}

/** An ad went live. */
export type PositionProfilePosted = DeliveryOf<'PositionProfilePosted', PositionProfilePostedData>;

/** A live ad was changed. */
export interface PositionProfileUpdatedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
}

/** A live ad was changed. */
export type PositionProfileUpdated = DeliveryOf<'PositionProfileUpdated', PositionProfileUpdatedData>;

/** An ad was closed, or reached its end. */
export interface PositionProfileClosedData extends EventData {
  /** The ad. */
  readonly positionProfileId?: string;
}

/** An ad was closed, or reached its end. */
export type PositionProfileClosed = DeliveryOf<'PositionProfileClosed', PositionProfileClosedData>;

/** A position could not be advertised. */
export interface PositionNotPostedData extends EventData {
  /** Identifies the reason. */
  readonly reasonId?: string;
  /** The partner's own identifier of the position. */
  readonly seekPartnerPositionId?: string;
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
