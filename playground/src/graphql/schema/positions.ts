/** Openings and the profiles under them, posted or not. */
export const POSITIONS = /* GraphQL */ `
  extend type Query {
    "One opening by its identifier."
    positionOpening(id: String!): PositionOpening

    "The openings of a hirer, the newest first."
    positionOpenings(
      hirerId: String!
      filter: PositionOpeningsFilterInput
      after: String
      first: Int
    ): PositionOpeningsConnection! @paginated(defaultPageSize: 10, maximumPageSize: 20)

    "One profile by its identifier. A browser token sees posted profiles of its hirer."
    positionProfile(id: String!): PositionProfile @scope(name: "query:position-profiles")
  }

  input PositionOpeningsFilterInput {
    "Incomplete, Active or Closed."
    statusCode: String
  }

  type PositionOpeningsConnection {
    edges: [PositionOpeningEdge!]!
    pageInfo: PageInfo!
  }

  type PositionOpeningEdge {
    cursor: String!
    node: PositionOpening!
  }

  type PositionOpening {
    documentId: ObjectIdentifier!
    "Incomplete, Active or Closed."
    statusCode: String!
    postingRequester: PostingRequester!
    paginatedPositionProfiles(after: String, first: Int): PositionProfilesConnection!
      @paginated(defaultPageSize: 10, maximumPageSize: 50)
    positionProfiles: [PositionProfile!]! @deprecated(reason: "Use paginatedPositionProfiles.")
    "Anything the partner wants kept, 1000 characters at most."
    seekPartnerMetadata: String
  }

  type PostingRequester {
    id: ObjectIdentifier!
    name: String!
    roleCode: String! @deprecated(reason: "Always Company.")
    personContacts: [PersonContact!]!
  }

  type PersonContact {
    name: PersonName!
    roleCode: String!
    communication: Communication!
  }

  type PositionProfilesConnection {
    edges: [PositionProfileEdge!]!
    pageInfo: PageInfo!
  }

  type PositionProfileEdge {
    cursor: String!
    node: PositionProfile!
  }

  interface PositionProfile {
    profileId: ObjectIdentifier!
    positionTitle: String!
    positionLocation: [Location!]!
    jobCategories: [JobCategory!]!
    positionOrganizations: [HiringOrganization!]!
    positionOpening: PositionOpening!
    positionFormattedDescriptions: [PositionFormattedDescription!]!
    offeredRemunerationPackage: RemunerationPackage!
    seekAnzWorkTypeCode: String
    seekHirerJobReference: String
    seekPartnerMetadata: String
  }

  "A profile that is or was advertised."
  type PostedPositionProfile implements PositionProfile {
    profileId: ObjectIdentifier!
    positionTitle: String!
    "Where candidates see it."
    positionUri: WebUrl!
    positionLocation: [Location!]!
    jobCategories: [JobCategory!]!
    positionOrganizations: [HiringOrganization!]!
    positionOpening: PositionOpening! @partner
    positionFormattedDescriptions: [PositionFormattedDescription!]!
    offeredRemunerationPackage: RemunerationPackage!
    postingInstructions: [PostingInstruction!]!
    "INDIRECT or DIRECT."
    seekTypeCode: String!
    "FullTime, PartTime, ContractTemp, Casual."
    seekAnzWorkTypeCode: String
    "OnSite, Hybrid, Remote."
    seekWorkArrangementCodes: [String!]!
    seekApplicationQuestionnaire: ApplicationQuestionnaire
    "Needs the JobPosting relationship with the hirer."
    branding: AdvertisementBranding
    seekBillingReference: String
    seekHirerJobReference: String
    "Whether this partner posted it."
    seekCreatedBySelfIndicator: Boolean!
    "Where it was posted from: Partner or SeekEmployerSite."
    seekPostingSourceCode: String!
    seekPartnerMetadata: String
    seekVideo: SeekVideo
  }

  "A profile of an opening that is not advertised."
  type UnpostedPositionProfile implements PositionProfile {
    profileId: ObjectIdentifier!
    positionTitle: String!
    positionLocation: [Location!]!
    jobCategories: [JobCategory!]!
    positionOrganizations: [HiringOrganization!]!
    positionOpening: PositionOpening! @partner
    positionFormattedDescriptions: [PositionFormattedDescription!]!
    offeredRemunerationPackage: RemunerationPackage!
    seekAnzWorkTypeCode: String
    seekHirerJobReference: String
    seekPartnerMetadata: String
    "Whether candidates can be sought for it."
    profileOwnershipCode: String!
  }

  type PositionFormattedDescription {
    "AdvertisementDetails, SearchSummary or SearchBulletPoint."
    descriptionId: String!
    content: String!
  }

  type RemunerationPackage {
    "Hourly, Salaried or SalariedPlusCommission."
    basisCode: String!
    "How the pay is shown, if not by its numbers."
    descriptions: [String!]!
    ranges: [RemunerationRange!]!
  }

  type RemunerationRange {
    "Hour, Month or Year."
    intervalCode: String!
    minimumAmount: RemunerationAmount!
    maximumAmount: RemunerationAmount
  }

  type RemunerationAmount {
    currency: String!
    value: Float!
  }

  type PostingInstruction {
    start: DateTime
    end: DateTime
    seekAdvertisementProductId: ObjectIdentifier
    idempotencyId: String
  }

  type SeekVideo {
    url: WebUrl!
    "Above or Below the description."
    seekAnzPositionCode: String!
  }

  input PositionFormattedDescriptionInput {
    descriptionId: String!
    content: String!
  }

  input RemunerationPackageInput {
    basisCode: String!
    descriptions: [String!]
    ranges: [RemunerationRangeInput!]!
  }

  input RemunerationRangeInput {
    intervalCode: String!
    minimumAmount: RemunerationAmountInput!
    maximumAmount: RemunerationAmountInput
  }

  input RemunerationAmountInput {
    currency: String!
    value: Float!
  }
`;
