/** A type of event that the upstream documents. */
interface DocumentedEvent {
  readonly about: string;
  /** The identifiers that its webhook carries besides those of every event, each with its meaning. */
  readonly members: Readonly<Record<string, string>>;
}

const AD = { positionProfileId: 'The ad.' };

/**
 * The documented types of events (interface 13). `schemas/event-delivery.json` describes the same; the types of the
 * client are made from this table. Other types are stored and delivered like these.
 */
export const EVENT_TYPES = {
  CandidateApplicationCreated: {
    about: 'A candidate applied for a position.',
    members: {
      candidateId: 'The candidate.',
      candidateApplicationProfileId: 'The application: the profile of the candidate as it was sent.',
    },
  },
  CandidateProfilePurchased: {
    about: 'A hirer purchased the profile of a candidate.',
    members: { candidateProfileId: 'The profile.' },
  },
  HirerRelationshipChanged: {
    about: 'The relationships of a hirer with the partner changed.',
    members: {},
  },
  PositionProfilePosted: { about: 'An ad went live.', members: AD },
  PositionProfileUpdated: { about: 'A live ad was changed.', members: AD },
  PositionProfileClosed: { about: 'An ad was closed, or reached its end.', members: AD },
  PositionNotPosted: {
    about: 'A position could not be advertised.',
    members: {
      reasonId: 'Identifies the reason.',
      seekPartnerPositionId: "The partner's own identifier of the position.",
    },
  },
} as const satisfies Readonly<Record<string, DocumentedEvent>>;

/** One of {@link EVENT_TYPES}. */
export type DocumentedType = keyof typeof EVENT_TYPES;

/** True for one of {@link EVENT_TYPES}. */
export function isDocumented(type: string): type is DocumentedType {
  return Object.hasOwn(EVENT_TYPES, type);
}
