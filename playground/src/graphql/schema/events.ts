const EVENT_FIELDS = /* GraphQL */ `
    id: ObjectIdentifier!
    typeCode: String!
    schemeId: String!
    "When it happened. Orders events weakly; page by cursors, not by this."
    createDateTime: DateTime!
    webhookAttempts(
      filter: WebhookAttemptsFilterInput
      after: String
      before: String
      first: Int
      last: Int
    ): WebhookAttemptsConnection! @paginated(defaultPageSize: 10, maximumPageSize: 100)
`;

/** Fields of an event that point at an object are null, with FORBIDDEN, once the relationship is gone. */
function eventType(name: string, description: string, fields: string): string {
  return `"${description}"\ntype ${name} implements Event {${EVENT_FIELDS}${fields}}\n`;
}

const HIRER = 'hirer: HiringOrganization\n';
const POSITION = 'positionProfileId: ObjectIdentifier!\npositionProfile: PositionProfile\n';

/** What has happened, in the order of the stream. Partner tokens only. */
export const EVENTS = /* GraphQL */ `
  extend type Query {
    "One event by its identifier."
    event(id: String!): Event

    "The events of a scheme in ascending stream time. first and last exclude each other; date filters count on the first page only."
    events(
      schemeId: String!
      after: String
      before: String
      first: Int
      last: Int
      filter: EventsFilterInput
    ): EventsConnection! @paginated(defaultPageSize: 10, maximumPageSize: 100)
  }

  input EventsFilterInput {
    "Stream time, exclusive."
    afterDateTime: DateTime
    "Stream time, exclusive."
    beforeDateTime: DateTime
    eventTypeCodes: [String!]
    "Only events that this webhook subscription is for."
    subscriptionId: String
    "With subscriptionId: whether the event has been delivered."
    deliveredIndicator: Boolean
  }

  type EventsConnection {
    edges: [EventEdge!]!
    pageInfo: PageInfo!
  }

  type EventEdge {
    cursor: String!
    node: Event!
    "When the event came into the stream."
    streamDateTime: DateTime!
  }

  interface Event {${EVENT_FIELDS}}

  ${eventType(
    'CandidateApplicationCreatedEvent',
    'A candidate has applied.',
    `${HIRER}candidateId: ObjectIdentifier!
    candidate: Candidate
    candidateApplicationProfileId: ObjectIdentifier!
    candidateApplicationProfile: CandidateProfile\n`,
  )}
  ${eventType(
    'CandidateProfilePurchasedEvent',
    'A hirer has bought the profile of a candidate.',
    `${HIRER}candidateId: ObjectIdentifier!
    candidate: Candidate
    candidateProfileId: ObjectIdentifier!
    candidateProfile: CandidateProfile\n`,
  )}
  ${eventType('HirerRelationshipChangedEvent', 'The relationships of a hirer with the partner have changed.', `hirerId: ObjectIdentifier!\n${HIRER}`)}
  ${eventType('PositionProfilePostedEvent', 'A position profile is advertised.', `${HIRER}${POSITION}`)}
  ${eventType('PositionProfileUpdatedEvent', 'An advertised position profile was changed.', `${HIRER}${POSITION}`)}
  ${eventType('PositionProfileClosedEvent', 'A position profile is no longer advertised.', `${HIRER}${POSITION}`)}
  ${eventType('PositionNotPostedEvent', 'A position could not be advertised.', `${HIRER}reasonId: ObjectIdentifier!\nseekPartnerPositionId: String!\n`)}
`;
