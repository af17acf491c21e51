/** What a position advertisement is made of: brandings, products, questionnaires, previews. */
export const ADVERTISING = /* GraphQL */ `
  extend type Query {
    "One branding by its identifier."
    advertisementBranding(id: String!): AdvertisementBranding @scope(name: "query:advertisement-brandings")

    "The brandings of a hirer."
    advertisementBrandings(
      hirerId: String!
      after: String
      before: String
      first: Int
      last: Int
    ): AdvertisementBrandingsConnection!
      @scope(name: "query:advertisement-brandings")
      @paginated(defaultPageSize: 10, maximumPageSize: 100)

    "The products a position can be advertised with. limit is 3 or more."
    advertisementProducts(
      positionProfile: AdvertisementProductsPositionProfileInput!
      selectedAdvertisementProductId: String
      limit: Int
    ): AdvertisementProducts! @scope(name: "query:ad-products")

    "One questionnaire by its identifier."
    applicationQuestionnaire(id: String!): ApplicationQuestionnaire
      @scope(name: "query:application-questionnaires")

    "Questions that fit a position; ten at most."
    applicationLibraryQuestionSuggestions(
      schemeId: String!
      positionProfile: JobCategorySuggestionsPositionProfileInput!
      first: Int
    ): [ApplicationLibraryQuestionSuggestion!]! @scope(name: "query:application-library-question-suggestions")

    "A preview of the advertisement, good for a day."
    postedPositionProfilePreview(
      positionProfile: AdvertisementProductsPositionProfileInput!
    ): PositionProfilePreview! @scope(name: "query:posted-position-profile-previews")
  }

  extend type Mutation {
    "Creates a questionnaire of a hirer, of 56 KiB at most."
    createApplicationQuestionnaire(
      input: CreateApplicationQuestionnaireInput!
    ): CreateApplicationQuestionnairePayload! @scope(name: "mutate:application-questionnaires")
  }

  type AdvertisementBranding {
    id: ObjectIdentifier!
    name: String!
    hirer: HiringOrganization!
    images: [AdvertisementBrandingImage!]!
  }

  type AdvertisementBrandingImage {
    "OriginalLogo or CoverImage."
    typeCode: String!
    url: WebUrl!
  }

  type AdvertisementBrandingsConnection {
    edges: [AdvertisementBrandingEdge!]!
    pageInfo: PageInfo!
    "Where the hirer manages its brandings."
    brandManagementUrl: WebUrl @scope(name: "query:organizations")
  }

  type AdvertisementBrandingEdge {
    cursor: String!
    node: AdvertisementBranding!
  }

  type AdvertisementProducts {
    "A note on all products, if any."
    information: String
    products: [AdvertisementProduct!]!
  }

  type AdvertisementProduct {
    id: ObjectIdentifier!
    label: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
    description: String @localized(locales: ["en-AU", "id-ID", "th-TH"])
    selected: Boolean!
    sellingPoints: [AdvertisementProductSellingPoint!]!
    price: AdvertisementProductPrice!
    payment: AdvertisementProductPayment!
    features: [AdvertisementProductFeature!]!
  }

  type AdvertisementProductSellingPoint {
    text: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
  }

  type AdvertisementProductPrice {
    summary: String!
  }

  type AdvertisementProductPayment {
    summary: String!
    summaryHtml: String!
  }

  type AdvertisementProductFeature {
    typeCode: String!
  }

  input AdvertisementProductsPositionProfileInput {
    profileId: String
    "80 characters at most."
    positionTitle: String!
    "Exactly one."
    positionLocation: [String!]!
    "Exactly one."
    positionOrganizations: [String!]!
    "Exactly one."
    jobCategories: [String!]!
    seekAnzWorkTypeCode: String
    offeredRemunerationPackage: RemunerationPackageInput
  }

  type ApplicationQuestionnaire {
    id: ObjectIdentifier!
    hirer: HiringOrganization!
    components: [ApplicationQuestion!]!
  }

  type ApplicationQuestion {
    "The partner's own name for the question."
    value: String
    id: ObjectIdentifier!
    componentTypeCode: String!
    questionHtml: String!
    "FreeText, SingleSelect or MultiSelect."
    responseTypeCode: String!
    responseChoice: [ApplicationQuestionChoice!]
  }

  type ApplicationQuestionChoice {
    id: ObjectIdentifier!
    text: String!
    value: String
    "Whether this answer speaks for the candidate."
    preferredIndicator: Boolean!
  }

  type ApplicationLibraryQuestionSuggestion {
    confidence: Float!
    question: ApplicationQuestion!
  }

  type PositionProfilePreview {
    previewUri: WebUrl!
  }

  input CreateApplicationQuestionnaireInput {
    applicationQuestionnaire: ApplicationQuestionnaireInput!
  }

  input ApplicationQuestionnaireInput {
    hirerId: String!
    components: [ApplicationQuestionInput!]!
  }

  input ApplicationQuestionInput {
    value: String
    questionHtml: String!
    responseTypeCode: String!
    responseChoice: [ApplicationQuestionChoiceInput!]
  }

  input ApplicationQuestionChoiceInput {
    text: String!
    value: String
    preferredIndicator: Boolean!
  }

  type CreateApplicationQuestionnairePayload {
    applicationQuestionnaire: ApplicationQuestionnaire!
  }
`;
