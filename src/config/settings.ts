import {
  flag,
  headers,
  integer,
  keys,
  list,
  oneOf,
  port,
  pattern,
  text,
  textLike,
  url,
  weakness,
  type Setting,
} from './setting.js';

const PRODUCT = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/; // RFC 9110 section 10.1.5
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 section 5.1, token
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/; // RFC 6749 section 3.3, scope-token
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/; // RFC 6454 section 6.2; no wildcard, no path
const SUBSCRIPTION_ID = /^[\x21-\x7e]{1,255}$/; // an object identifier (interface 2.5), opaque
const EVENT_TYPE = /^\w{1,255}$/;
const ADDRESS_RANGE = /^[0-9a-f.:]+(\/\d{1,3})?$/i;

/** The scopes that `interface.md` 2.1 names. */
const KNOWN_SCOPES = ['query:ontologies', 'query:ad-products', 'query:organizations'] as const;

/** `USER_AGENT` when unset: name and version of this package (interface, Tracing requests). */
export const DEFAULT_USER_AGENT = 'partner-bff/0.1.0';

/**
 * Every environment variable of the service. `docs/configuration.md` is generated from this table, and a name that is
 * not in it is not read.
 */
export const SETTINGS = {
  PORT: port({ fallback: 3000, text: 'Port of the public listener.' }),
  HOST: text({
    fallback: '0.0.0.0',
    fallbackText: '0.0.0.0; 127.0.0.1 in playground mode',
    text: 'Address the public listener binds to.',
  }),
  OPS_PORT: port({
    fallback: 3001,
    text: 'Port of the ops listener: metrics, health, audit, administration.',
  }),
  OPS_HOST: text({
    fallback: '127.0.0.1',
    text: 'Address the ops listener binds to. Any but loopback needs `OPS_TOKEN`.',
  }),
  OPS_TOKEN: secretText(16, 'Bearer token that every ops route but the health routes asks for when set.'),

  UPSTREAM_URL: url(['http', 'https'], {
    fallback: undefined,
    fallbackText: 'none: playground mode',
    text: 'Base address of the upstream, `{base_url}` of its interface. When unset, the built-in playground is started and used.',
  }),
  ISSUER_TOKEN_URL: url(['http', 'https'], {
    fallback: undefined,
    text: 'Whole address of the token request at the issuer of partner tokens. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_CLIENT_ID: text({
    fallback: undefined,
    text: 'Client id at the issuer. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_CLIENT_SECRET: text({
    fallback: undefined,
    secret: true,
    text: 'Client secret at the issuer. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_AUDIENCE: text({
    fallback: undefined,
    text: 'Value of `audience` in the token request; left out when unset.',
  }),
  PARTNER_TOKEN_REQUEST: oneOf(['json', 'form'], {
    fallback: 'json',
    text: 'Body of the token request: a JSON object, or a form as RFC 6749 section 4.4.2 has it.',
  }),
  USER_AGENT: textLike('name/version in printable ASCII', PRODUCT, {
    fallback: DEFAULT_USER_AGENT,
    fallbackText: 'package name/version',
    text: '`User-Agent` of every request to upstream and issuer, as `name/version`.',
  }),

  END_USER_JWKS_URL: url(['http', 'https'], {
    fallback: undefined,
    text: 'JWK set that verifies end-user tokens. Exactly one of this, `END_USER_PUBLIC_KEY` and `END_USER_SECRET`.',
  }),
  END_USER_PUBLIC_KEY: text({
    fallback: undefined,
    text: 'Public key that verifies end-user tokens: PEM (SPKI) or a JWK. During a rotation several: PEM blocks one after the other, or a JWK set.',
  }),
  END_USER_SECRET: secretText(
    32,
    'Shared secret that verifies end-user tokens (HMAC). Prefer a public key: anyone who knows this secret can forge tokens. During a rotation, add the previous secret on a second line.',
  ),
  END_USER_ISSUER: text({
    fallback: undefined,
    text: 'Exact `iss` of end-user tokens. Required outside playground mode.',
  }),
  END_USER_AUDIENCE: text({
    fallback: undefined,
    text: 'Exact `aud` of end-user tokens. Required outside playground mode.',
  }),
  END_USER_ALGORITHMS: list('JWS algorithm', /^(RS|PS|ES|HS)(256|384|512)$/, {
    fallback: [],
    fallbackText: 'by key type',
    text: 'Signature algorithms accepted; the token never chooses. By default RS256, PS256 and ES256 for a JWK set, those of the key for a public key, HS256 for a secret.',
  }),
  END_USER_TOKEN_MAX_AGE_SECONDS: integer(
    { min: 60, max: 31_536_000, unit: 'seconds' },
    { fallback: 86_400, text: 'Longest life (`exp` minus `iat`) of an end-user token that is accepted.' },
  ),
  END_USER_COOKIE: text({
    fallback: undefined,
    text: 'Name of a cookie that may hold the end-user token instead of the Authorization header. Every request but GET and HEAD then needs `X-CSRF: 1` and an `Origin` of `CORS_ORIGINS` or our own.',
  }),
  USER_ID_KEY: keys({
    fallback: [],
    fallbackText: 'made and kept in `DATA_DIR` in playground mode, else required',
    text: 'Key of the pseudonym (`userId`) the upstream sees for an end user. Changing it changes every pseudonym.',
  }),
  SEALING_KEY: keys({
    fallback: [],
    fallbackText: 'made and kept in `DATA_DIR` in playground mode, else required',
    text: 'Key that seals tokens in Redis and attachment links.',
  }),

  HIRER_ACCESS: oneOf(['database', 'claim', 'http'], {
    fallback: 'database',
    text: 'Who says which hirers a user belongs to: our database, a claim of the end-user token, or your own service.',
  }),
  HIRER_ACCESS_CLAIM: text({
    fallback: 'hirers',
    text: 'Claim that holds the memberships: an array of hirer ids, or of `{"hirerId", "roles"}`. At most 100.',
  }),
  HIRER_ACCESS_URL: url(['http', 'https'], {
    fallback: undefined,
    text: 'Service asked for memberships. Required with `HIRER_ACCESS=http`.',
  }),
  HIRER_ACCESS_SECRET: secretText(
    32,
    'Key of the `X-Signature` header (HMAC-SHA-256, hex) of each request to `HIRER_ACCESS_URL`.',
  ),
  ALLOWED_SCOPES: list('scope', SCOPE, {
    fallback: KNOWN_SCOPES,
    text: 'Scopes that browser tokens may carry at all.',
  }),
  ROLE_SCOPES: text({
    fallback: undefined,
    text: 'Scopes of roles, as `role=scope scope; role=scope`. Without it every role may ask for every allowed scope. Once it is set, a role that it does not name has no scope, `member` excepted, which has every allowed scope unless it is named. Names are compared exactly; the start warns of roles in use that are not named.',
  }),

  CORS_ORIGINS: list('origin (scheme://host[:port])', ORIGIN, {
    fallback: [],
    text: 'Exact origins whose pages may call the public routes.',
  }),
  TRUST_PROXY: list('IP address or CIDR range', ADDRESS_RANGE, {
    fallback: [],
    text: 'Proxies whose `X-Forwarded-*` headers are believed.',
  }),
  TRUST_TRACE: flag({
    fallback: false,
    text: "Continue the caller's trace (`traceparent`, `tracestate`) instead of linking to it.",
  }),

  DATABASE_URL: url(['postgres', 'postgresql'], {
    fallback: undefined,
    fallbackText: 'none: embedded SQLite in `DATA_DIR`',
    text: 'PostgreSQL 15 or later. Needed to run more than one replica.',
  }),
  DATA_DIR: text({
    fallback: './data',
    text: 'Folder of the embedded database and of the keys made in playground mode.',
  }),
  REDIS_URL: url(['redis', 'rediss'], {
    fallback: undefined,
    fallbackText: 'none: in memory',
    text: 'Redis that replicas share for sealed tokens and rate limits.',
  }),

  WEBHOOK_SECRETS: text({
    fallback: undefined,
    secret: true,
    text: 'Webhook signing secrets of 16 to 255 bytes, newest first, separated by commas; each is tried. Without it `POST /webhooks` does not exist.',
  }),
  WEBHOOK_SIGNATURE_HEADER: textLike('header name', HEADER_NAME, {
    fallback: 'Seek-Signature',
    text: 'Header that holds the webhook signature.',
  }),
  WEBHOOK_SIGNATURE_ALGORITHM: oneOf(['sha256', 'sha384', 'sha512'], {
    fallback: 'sha512',
    text: 'Hash of the webhook signature (HMAC, lower-case hex).',
  }),
  WEBHOOK_SUBSCRIPTION_SECRETS: text({
    fallback: undefined,
    secret: true,
    text: 'Secrets of single subscriptions, as `subscriptionId=secret`, separated by commas; an id may be named again for the secret before. A listed subscription is verified only with its own secrets.',
  }),
  WEBHOOK_UNSIGNED_SUBSCRIPTIONS: list('subscription id', SUBSCRIPTION_ID, {
    fallback: [],
    text: 'Subscriptions whose webhooks are accepted without a signature (`signingAlgorithmCode` None). Anyone who can reach the route can forge their events.',
  }),
  EVENT_REPEATS: oneOf(['deliver', 'count'], {
    fallback: 'deliver',
    text: 'What happens to an event that the upstream sends again after `EVENT_REPEAT_WINDOW_SECONDS`: delivered again, flagged as a repeat, or only counted. The upstream repeats events for repair.',
  }),
  EVENT_REPEAT_WINDOW_SECONDS: integer(
    { min: 0, max: 86_400, unit: 'seconds' },
    { fallback: 300, text: 'How long after its last receipt a repeat of an event is only counted.' },
  ),
  EVENT_RETENTION_DAYS: integer(
    { min: 1, max: 3_650, unit: 'days' },
    {
      fallback: 90,
      text: 'How long the payload of a finished event is kept. Its id is kept for good, so that no event is taken for new twice.',
    },
  ),
  EVENT_SINK_URL: url(['http', 'https'], { fallback: undefined, text: 'Where stored events are delivered.' }),
  EVENT_SINK_SECRET: text({
    fallback: undefined,
    secret: true,
    text: 'Signs deliveries by the Standard Webhooks scheme (`whsec_` and base64 of 24 to 64 bytes); the secret before may follow after a comma, then both sign. Required with `EVENT_SINK_URL`.',
  }),
  EVENT_SINK_ALLOW_PRIVATE: flag({
    fallback: false,
    text: 'Allow a sink at a private address other than loopback.',
  }),
  EVENT_SINK_TYPES: list('event type', EVENT_TYPE, {
    fallback: [],
    fallbackText: 'all',
    text: 'Types of events that are delivered; events of others are only stored.',
  }),
  EVENT_SINK_HIRERS: list('hirer id', SUBSCRIPTION_ID, {
    fallback: [],
    fallbackText: 'all',
    text: 'Hirers whose events are delivered; events of others, and of none, are only stored.',
  }),
  EVENT_SINK_TIMEOUT_MS: integer(
    { min: 50, max: 60_000, unit: 'milliseconds' },
    { fallback: 15_000, text: 'Deadline of one delivery.' },
  ),
  EVENT_SINK_CONCURRENCY: integer(
    { min: 1, max: 100, unit: 'deliveries' },
    { fallback: 8, text: 'Deliveries of one replica under way at once.' },
  ),
  EVENTS_SCHEME_ID: text({
    fallback: undefined,
    text: 'Scheme whose events are reconciled by the `events` query; no reconciliation when unset.',
  }),
  EVENTS_POLL_SECONDS: integer(
    { min: 10, max: 86_400, unit: 'seconds' },
    { fallback: 300, text: 'Time between two reconciliations.' },
  ),
  EVENTS_START: oneOf(['now', 'earliest'], {
    fallback: 'now',
    text: 'Where the very first reconciliation starts.',
  }),

  OPERATIONS_DIR: text({
    fallback: 'operations',
    text: 'Folder of registered operations (`.graphql` files).',
  }),
  OPERATION_RULES: oneOf(['enforce', 'warn', 'off'], {
    fallback: 'warn',
    text: 'What happens to an operation that breaks the rules of interface 4.3: refused, reported, or let through.',
  }),
  BODY_LIMIT_BYTES: integer(
    { min: 1024, max: 104_857_600, unit: 'bytes' },
    { fallback: 1_048_576, text: 'Largest request body.' },
  ),
  CONNECTIONS_MAX: integer(
    { min: 10, max: 1_000_000, unit: 'connections' },
    {
      fallback: 4_000,
      text: 'Most open connections of each listener. New ones above it are closed at once; those that are open go on.',
    },
  ),
  BATCH_LIMIT: integer(
    { min: 1, max: 100, unit: 'items' },
    { fallback: 10, text: 'Largest array body of `/graphql`.' },
  ),
  UPSTREAM_BATCHING: oneOf(['array', 'fanout'], {
    fallback: 'array',
    text: 'How an array goes upstream: as one array (interface 4.4), or as one request an item.',
  }),
  DOCUMENT_TOKENS_MAX: integer(
    { min: 100, max: 100_000, unit: 'tokens' },
    {
      fallback: 3_000,
      text: 'Longest operation text that is accepted on `/graphql`, in GraphQL tokens of 64 characters each at most.',
    },
  ),
  DOCUMENT_DEPTH_MAX: integer(
    { min: 1, max: 1_000, unit: 'levels' },
    { fallback: 20, text: 'Deepest selection of an operation text, fragments included.' },
  ),
  DOCUMENT_ALIASES_MAX: integer(
    { min: 0, max: 10_000, unit: 'aliases' },
    {
      fallback: 60,
      text: 'Most aliases of an operation text, those of `__typename` and in fragments included.',
    },
  ),
  DOCUMENT_ROOT_FIELDS_MAX: integer(
    { min: 1, max: 10_000, unit: 'fields' },
    { fallback: 30, text: 'Most root fields of an operation text.' },
  ),
  ANSWER_LIMIT_BYTES: integer(
    { min: 1024, max: 1_073_741_824, unit: 'bytes' },
    { fallback: 4_194_304, text: 'Largest answer to one operation that is taken from the upstream.' },
  ),
  UPSTREAM_IN_FLIGHT_MAX: integer(
    { min: 1, max: 100_000, unit: 'requests' },
    {
      fallback: 256,
      text: 'Most GraphQL requests to the upstream at one time. Requests above the limit are rejected with 503 immediately.',
    },
  ),
  USER_IN_FLIGHT_MAX: integer(
    { min: 1, max: 100_000, unit: 'operations' },
    {
      fallback: 64,
      text: 'Most GraphQL operations of one user on their way upstream at one time; each item of an array counts, an equal query that joins another does not. Further ones are answered 429.',
    },
  ),
  ATTACHMENT_PATH_PATTERN: pattern({
    fallback: /\/attachments\//,
    fallbackText: '`/attachments/`',
    text: "Regular expression that the path of a URL on the upstream's origin matches when it is an attachment.",
  }),
  ATTACHMENT_TTL_SECONDS: integer(
    { min: 1, max: 86_400, unit: 'seconds' },
    { fallback: 900, text: 'Life of a sealed attachment link.' },
  ),
  USER_DOWNLOADS_MAX: integer(
    { min: 1, max: 1_000, unit: 'downloads' },
    {
      fallback: 6,
      text: 'Most attachments that one user downloads at one time: what a browser opens to one server. Further ones are answered 429.',
    },
  ),
  DOWNLOAD_WINDOW_SECONDS: integer(
    { min: 1, max: 3_600, unit: 'seconds' },
    {
      fallback: 60,
      text: 'A download of which less than 64 KiB is taken in this time is cut.',
    },
  ),

  UPSTREAM_TIMEOUT_MS: integer(
    { min: 50, max: 120_000, unit: 'milliseconds' },
    { fallback: 10_000, text: 'Deadline of a request to the upstream, connect and retry included.' },
  ),
  ISSUER_TIMEOUT_MS: integer(
    { min: 50, max: 120_000, unit: 'milliseconds' },
    { fallback: 5_000, text: 'Deadline of a token request to the issuer.' },
  ),
  RATE_LIMIT_REQUESTS_PER_MINUTE: integer(
    { min: 0, max: 1_000_000, unit: 'requests; 0 switches it off' },
    { fallback: 600, text: 'Requests of one user, cached answers included; each item of a batch counts.' },
  ),
  RATE_LIMIT_MINTS_PER_MINUTE: integer(
    { min: 0, max: 1_000_000, unit: 'mints; 0 switches it off' },
    { fallback: 30, text: 'Browser tokens asked of the upstream for one user and hirer.' },
  ),
  AUDIT_RETENTION_DAYS: integer(
    { min: 0, max: 36_500, unit: 'days; 0 keeps everything' },
    { fallback: 400, text: 'Age at which audit records are removed.' },
  ),
  SHUTDOWN_DELAY_MS: integer(
    { min: 0, max: 60_000, unit: 'milliseconds' },
    {
      fallback: 1_000,
      text: 'Time between a stop signal and the end of listening: `/readyz` answers 503 and connections are closed after their answer, so that the load balancer stops sending traffic before requests can be lost.',
    },
  ),
  SHUTDOWN_TIMEOUT_MS: integer(
    { min: 0, max: 600_000, unit: 'milliseconds' },
    { fallback: 20_000, text: 'Time that requests under way have to finish at a stop; then they are cut.' },
  ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    fallback: 'info',
    text: 'Minimum log level.',
  }),
  LOG_FORMAT: oneOf(['json', 'pretty'], {
    fallback: 'json',
    fallbackText: 'json; pretty in playground mode',
    text: 'One JSON object a line, or text for a terminal.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], {
    fallback: undefined,
    text: 'OpenTelemetry collector (OTLP over HTTP), without the path `/v1/traces`; traces are on when set.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headers({
    fallback: {},
    fallbackText: 'none',
    secret: true,
    text: 'Headers of each request to the collector.',
  }),
  TRACE_SAMPLE_PERCENT: integer(
    { min: 0, max: 100, unit: 'percent' },
    { fallback: 100, text: 'Share of requests that are traced, where the caller does not decide it.' },
  ),
  PLAYGROUND_PORT: port({
    fallback: 3010,
    text: "Port of the playground's upstream; its issuer takes the next one. Playground mode only.",
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** Name of a setting, which is its environment variable. */
export type SettingName = keyof typeof SETTINGS;

function secretText(bytesMin: 16 | 32, description: string): Setting<string | undefined> {
  const secret = text<undefined>({ fallback: undefined, secret: true, text: description });
  return {
    ...secret,
    form: `text of ${bytesMin} bytes or more`,
    parse: (raw) => {
      const fault = bytesMin === 32 ? weaknessOfLines(raw) : shortness(raw, bytesMin);
      return fault === undefined ? { value: raw } : { fault };
    },
  };
}

function weaknessOfLines(raw: string): string | undefined {
  return raw
    .split('\n')
    .map(weakness)
    .find((fault) => fault !== undefined);
}

function shortness(raw: string, bytesMin: number): string | undefined {
  return Buffer.byteLength(raw) < bytesMin ? `must be at least ${bytesMin} bytes` : undefined;
}
