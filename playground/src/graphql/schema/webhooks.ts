const PAGE = 'after: String, before: String, first: Int, last: Int';
const PAGES_OF_100 = '@paginated(defaultPageSize: 10, maximumPageSize: 100)';

/** Webhook subscriptions and what was sent for them. Partner tokens only. */
export const WEBHOOKS = /* GraphQL */ `
  extend type Query {
    "One subscription by its identifier."
    webhookSubscription(id: String!): WebhookSubscription
    "The subscriptions of a scheme."
    webhookSubscriptions(schemeId: String!, filter: WebhookSubscriptionsFilterInput, ${PAGE}): WebhookSubscriptionsConnection! ${PAGES_OF_100}
    "One request by the X-Request-Id it was sent with."
    webhookRequest(requestId: String!, schemeId: String!): WebhookRequest
    "The requests sent for a subscription."
    webhookRequestsForSubscription(subscriptionId: String!, filter: WebhookRequestsFilterInput, ${PAGE}): WebhookRequestsConnection! ${PAGES_OF_100}
    "The attempts to deliver an event."
    webhookAttemptsForEvent(eventId: String!, filter: WebhookAttemptsFilterInput, ${PAGE}): WebhookAttemptsConnection! ${PAGES_OF_100}
    "One replay by its identifier."
    webhookSubscriptionReplay(id: String!): WebhookSubscriptionReplay
  }

  extend type Mutation {
    "Subscribes a URL to one type of event."
    createWebhookSubscription(input: CreateWebhookSubscriptionInput!): CreateWebhookSubscriptionPayload!
    "Changes where and how much is delivered. May take up to 30 minutes to act."
    updateWebhookSubscriptionDeliveryConfiguration(input: UpdateWebhookSubscriptionDeliveryConfigurationInput!): UpdateWebhookSubscriptionDeliveryConfigurationPayload!
    "Changes the signing secret. May take up to 30 minutes to act: take both secrets for that long."
    updateWebhookSubscriptionSigningConfiguration(input: UpdateWebhookSubscriptionSigningConfigurationInput!): UpdateWebhookSubscriptionSigningConfigurationPayload!
    "Ends a subscription."
    deleteWebhookSubscription(input: DeleteWebhookSubscriptionInput!): DeleteWebhookSubscriptionPayload!
    "Delivers past events again, in the background."
    replayWebhookSubscription(input: ReplayWebhookSubscriptionInput!): ReplayWebhookSubscriptionPayload!
  }

  input WebhookSubscriptionsFilterInput {
    afterDateTime: DateTime
    beforeDateTime: DateTime
    eventTypeCodes: [String!]
    hirerIds: [String!]
  }

  input WebhookRequestsFilterInput {
    afterDateTime: DateTime
    beforeDateTime: DateTime
    "Success, BadResponse, RequestTimeout, InvalidUrl."
    descriptionCodes: [String!]
  }

  input WebhookAttemptsFilterInput {
    descriptionCodes: [String!]
    subscriptionId: String
  }

  input WebhookSubscriptionReplaysFilterInput {
    statusCode: String
  }

  type WebhookSubscription {
    id: ObjectIdentifier!
    eventTypeCode: String!
    schemeId: String!
    url: WebUrl!
    "Null: events of every related hirer."
    hirer: HiringOrganization
    hirerId: ObjectIdentifier
    "From 1 to 10."
    maxEventsPerAttempt: Int!
    "None or SeekHmacSha512."
    signingAlgorithmCode: String!
    createDateTime: DateTime!
    updateDateTime: DateTime!
    webhookRequests(filter: WebhookRequestsFilterInput, ${PAGE}): WebhookRequestsConnection! ${PAGES_OF_100}
    webhookSubscriptionReplays(filter: WebhookSubscriptionReplaysFilterInput, ${PAGE}): WebhookSubscriptionReplaysConnection! ${PAGES_OF_100}
  }

  type WebhookSubscriptionsConnection { edges: [WebhookSubscriptionEdge!]! pageInfo: PageInfo! }
  type WebhookSubscriptionEdge { cursor: String! node: WebhookSubscription! }

  type WebhookRequest {
    requestId: String!
    "Success, BadResponse, RequestTimeout, InvalidUrl."
    descriptionCode: String!
    "The receiver's status, or 504 for a timeout and 400 for an invalid URL."
    statusCode: Int!
    "Null for an invalid URL."
    latencyMs: Int
    createDateTime: DateTime!
    attempts: [WebhookAttempt!]!
    webhookSubscription: WebhookSubscription
  }

  type WebhookRequestsConnection { edges: [WebhookRequestEdge!]! pageInfo: PageInfo! }
  type WebhookRequestEdge { cursor: String! node: WebhookRequest! }

  type WebhookAttempt {
    id: ObjectIdentifier!
    event: Event!
    webhookRequest: WebhookRequest!
    createDateTime: DateTime!
    webhookSubscription: WebhookSubscription
  }

  type WebhookAttemptsConnection { edges: [WebhookAttemptEdge!]! pageInfo: PageInfo! }
  type WebhookAttemptEdge { cursor: String! node: WebhookAttempt! }

  type WebhookSubscriptionReplay {
    id: ObjectIdentifier!
    "Submitted, Running, Completed or Cancelled."
    statusCode: String!
    createDateTime: DateTime!
    updateDateTime: DateTime!
    request: WebhookSubscriptionReplayRequest!
    "Null once the subscription is deleted."
    webhookSubscription: WebhookSubscription
  }

  union WebhookSubscriptionReplayRequest = IdReplayRequest | RangeReplayRequest
  type IdReplayRequest { eventIds: [ObjectIdentifier!]! }
  type RangeReplayRequest {
    createdAfterDateTime: DateTime!
    createdBeforeDateTime: DateTime!
    replayDeliveredEventsIndicator: Boolean!
    hirerId: ObjectIdentifier
  }

  type WebhookSubscriptionReplaysConnection { edges: [WebhookSubscriptionReplayEdge!]! pageInfo: PageInfo! }
  type WebhookSubscriptionReplayEdge { cursor: String! node: WebhookSubscriptionReplay! }

  input CreateWebhookSubscriptionInput { webhookSubscription: WebhookSubscriptionInput! }
  input WebhookSubscriptionInput {
    eventTypeCode: String!
    schemeId: String!
    hirerId: String
    "https, or http to this machine."
    url: String!
    "From 1 to 10, 10 by default."
    maxEventsPerAttempt: Int
    "None or SeekHmacSha512."
    signingAlgorithmCode: String!
    "For signed subscriptions: 16 characters or more, 255 bytes at most."
    secret: String
  }
  union CreateWebhookSubscriptionPayload = CreateWebhookSubscriptionPayload_Success | CreateWebhookSubscriptionPayload_Conflict
  type CreateWebhookSubscriptionPayload_Success { webhookSubscription: WebhookSubscription! }
  type CreateWebhookSubscriptionPayload_Conflict { conflictingWebhookSubscription: WebhookSubscription! }

  input UpdateWebhookSubscriptionDeliveryConfigurationInput { webhookSubscription: WebhookSubscriptionDeliveryInput! }
  input WebhookSubscriptionDeliveryInput { id: String! url: String! maxEventsPerAttempt: Int! }
  union UpdateWebhookSubscriptionDeliveryConfigurationPayload = UpdateWebhookSubscriptionDeliveryConfigurationPayload_Success | UpdateWebhookSubscriptionDeliveryConfigurationPayload_Conflict
  type UpdateWebhookSubscriptionDeliveryConfigurationPayload_Success { webhookSubscription: WebhookSubscription! }
  type UpdateWebhookSubscriptionDeliveryConfigurationPayload_Conflict { conflictingWebhookSubscription: WebhookSubscription! }

  input UpdateWebhookSubscriptionSigningConfigurationInput { webhookSubscription: WebhookSubscriptionSigningInput! }
  input WebhookSubscriptionSigningInput { id: String! signingAlgorithmCode: String! secret: String }
  type UpdateWebhookSubscriptionSigningConfigurationPayload { webhookSubscription: WebhookSubscription! }

  input DeleteWebhookSubscriptionInput { webhookSubscription: WebhookSubscriptionIdInput! }
  input WebhookSubscriptionIdInput { id: String! }
  type DeleteWebhookSubscriptionPayload { webhookSubscription: WebhookSubscription! }

  "Either eventIds, 100 at most, or filter."
  input ReplayWebhookSubscriptionInput {
    webhookSubscription: WebhookSubscriptionIdInput!
    eventIds: [String!]
    filter: ReplayWebhookSubscriptionFilterInput
  }
  input ReplayWebhookSubscriptionFilterInput {
    createdAfterDateTime: DateTime!
    createdBeforeDateTime: DateTime!
    replayDeliveredEventsIndicator: Boolean!
    "Needed for a subscription of all hirers when delivered events are replayed."
    hirerId: String
  }
  type ReplayWebhookSubscriptionPayload { webhookSubscriptionReplay: WebhookSubscriptionReplay! }
`;
