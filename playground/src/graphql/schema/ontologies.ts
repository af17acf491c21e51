/** Locations, job categories, currencies and pay types: the same for every hirer. */
export const ONTOLOGIES = /* GraphQL */ `
  extend type Query {
    "One location by its identifier."
    location(id: String!): Location @scope(name: "query:ontologies")

    "Locations whose name holds the text; postcodes are not looked at. Twenty can be asked for, ten are returned."
    locationSuggestions(
      schemeId: String!
      text: String!
      "PositionPosting or ProactiveSourcing."
      usageTypeCode: String!
      hirerId: String
      first: Int
    ): [LocationSuggestion!] @scope(name: "query:ontologies")

    "The locations nearest to a point, the nearest first; ten at most."
    nearestLocations(schemeId: String!, geoLocation: GeoLocationInput!, first: Int): [Location!]
      @scope(name: "query:ontologies")

    "The location that an address most likely lies in."
    inferLocation(schemeId: String!, address: AddressInput!, hirerId: String): Location
      @scope(name: "query:ontologies")

    "The top level of job categories for a position in these locations."
    jobCategories(schemeId: String!, positionProfile: JobCategoriesPositionProfileInput!): [JobCategory!]!
      @scope(name: "query:ontologies")

    "One job category by its identifier."
    jobCategory(id: String!): JobCategory @scope(name: "query:ontologies")

    "The categories that fit a position best; ten at most."
    jobCategorySuggestions(
      schemeId: String!
      positionProfile: JobCategorySuggestionsPositionProfileInput!
      first: Int
    ): [JobCategorySuggestion!]! @scope(name: "query:ontologies")

    "Currencies in use: All, or SEEKMarket for those a position can be posted with."
    currencies(usageTypeCode: String!): [Currency!]! @scope(name: "query:ontologies")

    "How pay can be stated for a position."
    payTypes(schemeId: String!): [PayType!]! @scope(name: "query:ontologies")
  }

  type Location {
    id: ObjectIdentifier!
    name: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
    "The name with the larger places that contain it, for use without context."
    contextualName: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
    "ISO 3166-1, two letters."
    countryCode: String!
    currencies: [Currency!]!
    parent: Location
    children: [Location!] @deprecated(reason: "Always null. Use locationSuggestions.")
  }

  type LocationSuggestion {
    location: Location!
  }

  input GeoLocationInput {
    latitude: Float!
    longitude: Float!
  }

  input AddressInput {
    formattedAddress: String!
    countryCode: String
    postalCode: String
  }

  type JobCategory {
    id: ObjectIdentifier!
    name: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
    parent: JobCategory
    children: [JobCategory!]
  }

  input JobCategoriesPositionProfileInput {
    "Identifiers of locations."
    positionLocation: [String!]!
  }

  input JobCategorySuggestionsPositionProfileInput {
    positionTitle: String!
    positionLocation: [String!]!
    positionOrganizations: [String!]
    positionFormattedDescriptions: [PositionFormattedDescriptionInput!]
  }

  type JobCategorySuggestion {
    "From 0 to 1."
    confidence: Float!
    jobCategory: JobCategory!
  }

  type Currency {
    "ISO 4217."
    code: String!
  }

  type PayType {
    "Hourly, Salaried, SalariedPlusCommission."
    basisCode: String!
    "Hour, Month, Year."
    intervalCode: String!
    label: String! @localized(locales: ["en-AU", "id-ID", "th-TH"])
  }
`;
