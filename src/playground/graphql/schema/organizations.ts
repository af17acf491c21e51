/** Hirers and the partner itself. */
export const ORGANIZATIONS = /* GraphQL */ `
  extend type Query {
    "The hirer that the browser token is for, and the partner."
    self: SelfOrganizations! @scope(name: "query:organizations")

    "One hirer by its identifier."
    hiringOrganization(id: String!): HiringOrganization @scope(name: "query:organizations")
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
