/** Bodies that no type of the code describes: they pass as they come, or have a reader of their own. */
const UUID = { type: 'string', format: 'uuid' };
const TEXT = { type: 'string' };

export const OWN_SCHEMAS = {
  GraphqlRequest: {
    description: 'A GraphQL request: a text, or the name of a registered operation.',
    type: 'object',
    properties: {
      query: { ...TEXT, description: 'The text of an operation of the caller’s own.' },
      documentId: { ...TEXT, description: 'A registered operation: its name, or `sha256:` of its file.' },
      operationName: { type: ['string', 'null'] },
      variables: { type: ['object', 'null'] },
      extensions: { type: ['object', 'null'] },
    },
  },
  GraphqlAnswer: {
    description: 'What the upstream answered, or a failure of the service in the same shape.',
    type: 'object',
    properties: {
      data: { type: ['object', 'null'] },
      errors: {
        type: 'array',
        items: { type: 'object', required: ['message'], properties: { message: TEXT } },
      },
      extensions: { type: 'object' },
    },
  },
  Webhook: {
    description: 'As the upstream sends it. Unknown types and members are kept.',
    type: 'object',
    required: ['events'],
    properties: {
      events: { type: 'array', items: { $ref: '#/components/schemas/WebhookEvent' } },
      subscriptionId: TEXT,
      url: TEXT,
    },
  },
  WebhookEvent: {
    type: 'object',
    properties: { id: TEXT, type: TEXT, createDateTime: TEXT, hirerId: TEXT },
  },
};

/** What a failure of the service looks like on `/graphql`. */
export function graphqlFailure(codes) {
  const extensions = {
    type: 'object',
    required: ['code', 'reason', 'requestId'],
    properties: {
      code: { enum: [...new Set(Object.values(codes).map(({ graphqlCode }) => graphqlCode))] },
      reason: { enum: Object.keys(codes) },
      requestId: UUID,
    },
  };
  const error = {
    type: 'object',
    required: ['message', 'extensions'],
    properties: { message: TEXT, extensions },
  };
  return { type: 'object', required: ['errors'], properties: { errors: { type: 'array', items: error } } };
}

const answer = { $ref: '#/components/schemas/GraphqlAnswer' };
const request = { $ref: '#/components/schemas/GraphqlRequest' };
const oneOrMore = (schema) => ({ anyOf: [schema, { type: 'array', items: schema }] });

/** Body and answer of the routes whose code has no type for them. */
export const OWN_CONTENT = {
  'post /graphql': {
    body: { 'application/json': { schema: oneOrMore(request) } },
    answer: {
      'application/json': { schema: oneOrMore(answer) },
      'application/graphql-response+json': { schema: oneOrMore(answer) },
    },
  },
  'post /webhooks': { body: { 'application/json': { schema: { $ref: '#/components/schemas/Webhook' } } } },
};

/** Headers of requests, by the name under which routes refer to them. */
export const REQUEST_HEADERS = {
  'X-Request-Id': { schema: UUID, description: 'Becomes the `X-Request-Id` of the answer, if it is a UUID.' },
  'X-Session-Id': { schema: UUID, description: 'Passed on to the upstream, if it is a UUID.' },
  'X-Hirer-Id': {
    schema: TEXT,
    description: 'The hirer to act for. It may be left out by a user of exactly one.',
  },
  'X-Refused-Token': {
    schema: TEXT,
    description: 'A browser token that the upstream no longer accepts: it is replaced, not handed out again.',
  },
  'Accept-Language': { schema: TEXT, description: 'Passed on to the upstream.' },
  'Last-Event-ID': { schema: TEXT, description: 'The last event that was read: those after it come first.' },
  'Seek-Signature': {
    schema: { type: 'string', pattern: '^[0-9a-f]+$' },
    description:
      'HMAC of the raw body, in hexadecimal. `WEBHOOK_SIGNATURE_HEADER` and `WEBHOOK_SIGNATURE_ALGORITHM` change name and algorithm.',
  },
  'X-Ops-Actor': { schema: TEXT, description: 'Who acts, for the audit trail; self-declared.' },
};

/** Headers of answers. */
export const ANSWER_HEADERS = {
  'X-Request-Id': { schema: UUID, description: 'Identifies the request in log and audit trail.' },
  'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' },
  RateLimit: {
    schema: TEXT,
    description:
      'Of a limit that is used up: when its next window begins (draft-ietf-httpapi-ratelimit-headers-10).',
  },
  'RateLimit-Policy': { schema: TEXT, description: 'Of a limit that is used up: its quota and its window.' },
  'WWW-Authenticate': { schema: TEXT, description: 'RFC 6750.' },
};

/** The headers that a route reads. */
export function headersOf({ listener, path, text }) {
  if (listener === 'ops') return ['X-Request-Id', ...(text.includes('operatorOf(') ? ['X-Ops-Actor'] : [])];
  const own = {
    '/auth/token': ['X-Refused-Token'],
    '/graphql': ['X-Hirer-Id', 'Accept-Language'],
    '/events/stream': ['Last-Event-ID'],
    '/webhooks': ['Seek-Signature'],
  };
  return ['X-Request-Id', 'X-Session-Id', ...(own[path] ?? [])];
}
