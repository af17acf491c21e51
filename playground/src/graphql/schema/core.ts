/** Root types, identifiers, pages. Other parts extend Query and Mutation. */
export const CORE = /* GraphQL */ `
  "Access for everyone, without a token."
  directive @anyone on FIELD_DEFINITION

  "Access for partner tokens, and for browser tokens that have the scope."
  directive @scope(name: String!) on FIELD_DEFINITION

  "Access for partner tokens only, on a field of an object that browser tokens can reach."
  directive @partner on FIELD_DEFINITION

  "Content in the language that Accept-Language asks for."
  directive @localized(locales: [String!]!) on FIELD_DEFINITION

  "A list that comes in pages."
  directive @paginated(defaultPageSize: Int!, maximumPageSize: Int!) on FIELD_DEFINITION

  "An instant in ISO 8601, UTC, with milliseconds."
  scalar DateTime

  "An absolute https or http address."
  scalar WebUrl

  "Identifies an object. Opaque: store it whole, never take it apart."
  type ObjectIdentifier {
    value: String!
  }

  "The position of a page in its list."
  type PageInfo {
    startCursor: String
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
  }

  type Query {
    "The version of the service that is deployed."
    version: String! @anyone
  }

  type Mutation
`;
