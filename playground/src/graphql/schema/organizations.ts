/** Hirers and the partner itself. */
export const ORGANIZATIONS = /* GraphQL */ `
  extend type Query {
    "The hirer that the browser token is for, and the partner."
    self: SelfOrganizations! @scope(name: "query:organizations")

    "One hirer by its identifier."
    hiringOrganization(id: String!): HiringOrganization @scope(name: "query:organizations")

    "The hirers of a scheme that have a relationship with the partner, by name. A browser token sees its own only."
    hiringOrganizations(
      schemeId: String!
      filter: HiringOrganizationsFilterInput
      after: String
      before: String
      first: Int
      last: Int
    ): HiringOrganizationsConnection!
      @scope(name: "query:organizations")
      @paginated(defaultPageSize: 10, maximumPageSize: 100)

    "The hirer that had this number in the legacy system."
    seekAnzAdvertiser(id: Int!): HiringOrganization @scope(name: "query:organizations")
  }

  input HiringOrganizationsFilterInput {
    "A part of the name, in any case."
    nameSearch: String
    "Only hirers with one of these relationships."
    relationshipTypeCodes: [String!]
  }

  type HiringOrganizationsConnection {
    edges: [HiringOrganizationEdge!]!
    pageInfo: PageInfo!
  }

  type HiringOrganizationEdge {
    cursor: String!
    node: HiringOrganization!
  }

  type SelfOrganizations {
    "Null for a partner token, which is for no single hirer."
    hirer: HiringOrganization
    partner: PartnerOrganization!
  }

  type PartnerOrganization {
    name: String!
    "Whether the partner may issue and rotate its own credentials."
    credentialSelfServiceApprovedIndicator: Boolean!
  }

  type HiringOrganization {
    id: ObjectIdentifier!
    name: String!
    "The number this hirer had in the legacy system, if any."
    seekAnzAdvertiserId: Int
    seekApiCapabilities: HiringOrganizationCapabilities!
  }

  "What the partner may do for a hirer."
  type HiringOrganizationCapabilities {
    "How candidates may apply: ApplicationLinkOut, NativeApply."
    applicationMethodCodes: [String!]!
    "ApplicationExport, ApplicationPrefill, JobPosting, ProactiveSourcing."
    relationshipTypeCodes: [String!]!
  }
`;
