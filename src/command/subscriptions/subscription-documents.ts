const SUBSCRIPTION =
  'id { value } eventTypeCode url hirerId { value } signingAlgorithmCode maxEventsPerAttempt';
const PAGE = 'pageInfo { hasNextPage endCursor }';

/** The subscriptions of a scheme. */
export const LIST = `query WebhookSubscriptions($schemeId: String!, $first: Int, $after: String) { webhookSubscriptions(schemeId: $schemeId, first: $first, after: $after) { edges { node { ${SUBSCRIPTION} } } ${PAGE} } }`;

/** Subscribes a URL to a type of event. */
export const CREATE =
  'mutation CreateWebhookSubscription($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { __typename } }';

/** Changes where and how many events are delivered. */
export const DELIVERY =
  'mutation UpdateWebhookSubscriptionDeliveryConfiguration($input: UpdateWebhookSubscriptionDeliveryConfigurationInput!) { updateWebhookSubscriptionDeliveryConfiguration(input: $input) { __typename } }';

/** Changes how requests are signed. */
export const SIGNING =
  'mutation UpdateWebhookSubscriptionSigningConfiguration($input: UpdateWebhookSubscriptionSigningConfigurationInput!) { updateWebhookSubscriptionSigningConfiguration(input: $input) { __typename } }';

/** Delivers past events again. */
export const REPLAY =
  'mutation ReplayWebhookSubscription($input: ReplayWebhookSubscriptionInput!) { replayWebhookSubscription(input: $input) { __typename } }';

/** The requests that the upstream sent for a subscription, with their events. */
export const REQUESTS = `query WebhookRequests($subscriptionId: String!, $first: Int, $after: String, $filter: WebhookRequestFilterInput) { webhookRequestsForSubscription(subscriptionId: $subscriptionId, first: $first, after: $after, filter: $filter) { edges { node { requestId createDateTime descriptionCode statusCode attempts { event { id { value } typeCode } } } } ${PAGE} } }`;
