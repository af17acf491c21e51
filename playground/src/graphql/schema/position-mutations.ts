/** Changing positions. Posting takes effect later and is announced by events. Partner tokens only. */
export const POSITION_MUTATIONS = /* GraphQL */ `
  extend type Mutation {
    "Posts a position with an opening of its own."
    postPosition(input: PostPositionInput!): PostPositionPayload!
    "Posts a further profile of an opening; 25 at most."
    postPositionProfileForOpening(
      input: PostPositionProfileForOpeningInput!
    ): PostPositionProfileForOpeningPayload!
    "Changes an advertised profile."
    updatePostedPositionProfile(input: UpdatePostedPositionProfileInput!): PostedPositionProfilePayload!
    "Takes a profile off; FORBIDDEN when it is closed already."
    closePostedPositionProfile(input: PositionProfileIdInput!): PostedPositionProfilePayload
    "Creates an opening without a profile."
    createPositionOpening(input: CreatePositionOpeningInput!): PositionOpeningPayload!
    "Sets an opening Active, Incomplete or Closed."
    updatePositionOpeningStatus(input: UpdatePositionOpeningStatusInput!): PositionOpeningPayload!
    "Replaces the contacts of an opening."
    updatePositionOpeningPersonContacts(
      input: UpdatePositionOpeningPersonContactsInput!
    ): PositionOpeningPayload!
    "Deletes an opening that has no advertised profile."
    deletePositionOpening(input: PositionOpeningIdInput!): PositionOpeningPayload!
    "Creates a profile that is not advertised."
    createUnpostedPositionProfileForOpening(
      input: CreateUnpostedPositionProfileInput!
    ): UnpostedPositionProfilePayload!
    "Changes a profile that is not advertised."
    updateUnpostedPositionProfile(input: UpdateUnpostedPositionProfileInput!): UnpostedPositionProfilePayload!
    "Deletes a profile that is not advertised."
    deleteUnpostedPositionProfile(input: PositionProfileIdInput!): UnpostedPositionProfilePayload!
  }

  input PostPositionInput {
    positionOpening: PositionOpeningInput!
    positionProfile: PositionProfileInput!
  }
  input PostPositionProfileForOpeningInput {
    positionOpening: PositionOpeningIdMemberInput!
    positionProfile: PositionProfileInput!
  }
  input PositionOpeningInput {
    postingRequester: PostingRequesterInput!
    seekPartnerMetadata: String
  }
  input PostingRequesterInput {
    "The hirer."
    id: String!
    personContacts: [PersonContactInput!]!
  }
  input PersonContactInput {
    name: PersonNameInput!
    roleCode: String!
    communication: ContactCommunicationInput!
  }
  input ContactCommunicationInput {
    email: [EmailInput!]!
    phone: [PhoneInput!]
  }
  input PersonNameInput {
    formattedName: String!
    given: String
    family: String
  }
  input EmailInput {
    address: String!
  }
  input PhoneInput {
    formattedNumber: String!
  }
  input PositionProfileInput {
    "80 characters at most."
    positionTitle: String!
    positionLocation: [String!]!
    jobCategories: [String!]!
    positionOrganizations: [String!]!
    positionFormattedDescriptions: [PositionFormattedDescriptionInput!]!
    offeredRemunerationPackage: RemunerationPackageInput!
    seekAnzWorkTypeCode: String
    seekHirerJobReference: String
    seekBillingReference: String
    seekPartnerMetadata: String
    "Needed to post: a UUID of version 4, the same again on a retry."
    postingInstructions: [PostingInstructionInput!]
  }
  input PostingInstructionInput {
    seekAdvertisementProductId: String!
    idempotencyId: String!
    end: DateTime
  }
  input UpdatePostedPositionProfileInput {
    positionProfile: PositionProfileChangeInput!
  }
  input UpdateUnpostedPositionProfileInput {
    positionProfile: PositionProfileChangeInput!
  }
  input PositionProfileChangeInput {
    profileId: String!
    positionTitle: String!
    positionFormattedDescriptions: [PositionFormattedDescriptionInput!]
    seekHirerJobReference: String
    seekPartnerMetadata: String
  }
  input CreateUnpostedPositionProfileInput {
    positionOpening: PositionOpeningIdMemberInput!
    positionProfile: PositionProfileInput!
  }
  input CreatePositionOpeningInput {
    positionOpening: PositionOpeningInput!
  }
  input UpdatePositionOpeningStatusInput {
    documentId: String!
    statusCode: String!
  }
  input UpdatePositionOpeningPersonContactsInput {
    documentId: String!
    personContacts: [PersonContactInput!]!
  }
  input PositionOpeningIdMemberInput {
    documentId: String!
  }
  input PositionOpeningIdInput {
    positionOpening: PositionOpeningIdMemberInput!
  }
  input PositionProfileIdMemberInput {
    profileId: String!
  }
  input PositionProfileIdInput {
    positionProfile: PositionProfileIdMemberInput!
  }

  union PostPositionPayload = PostPositionPayload_Success | PostPositionPayload_Conflict
  type PostPositionPayload_Success {
    positionOpening: PositionOpening!
    positionProfile: PostedPositionProfile!
  }
  type PostPositionPayload_Conflict {
    conflictingPositionOpening: PositionOpening!
    conflictingPositionProfile: PostedPositionProfile!
  }
  union PostPositionProfileForOpeningPayload =
    | PostPositionProfileForOpeningPayload_Success
    | PostPositionProfileForOpeningPayload_Conflict
  type PostPositionProfileForOpeningPayload_Success {
    positionProfile: PostedPositionProfile!
  }
  type PostPositionProfileForOpeningPayload_Conflict {
    conflictingPositionProfile: PostedPositionProfile!
  }
  type PostedPositionProfilePayload {
    positionProfile: PostedPositionProfile!
  }
  type UnpostedPositionProfilePayload {
    positionProfile: UnpostedPositionProfile!
  }
  type PositionOpeningPayload {
    positionOpening: PositionOpening!
  }
`;
