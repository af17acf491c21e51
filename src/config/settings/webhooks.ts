import {
  flag,
  integer,
  list,
  oneOf,
  readParts,
  setting,
  splitByComma,
  text,
  textLike,
  url,
  type Reading,
  type Setting,
} from '../setting.js';

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 section 5.1, token
const OBJECT_ID = /^[\x21-\x7e]{1,255}$/; // an object identifier (interface 2.5), opaque
const EVENT_TYPE = /^\w{1,255}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Every webhook of a stranger is hashed with each secret. */
const SECRETS_MAX = 10;
const SUBSCRIPTION_SECRETS_MAX = 4;
const RETRIES_MAX = 50;
const RETRY_SECONDS_MAX = 604_800;

/** A secret that signs the webhooks of one subscription. */
export interface SubscriptionSecret {
  readonly id: string;
  readonly secret: string;
}

/** Settings of webhooks that come in, events that go out, and reconciliation. */
export const WEBHOOKS = {
  WEBHOOK_SECRETS: setting<readonly string[], readonly string[]>(
    `at most ${SECRETS_MAX} secrets of 16 to 255 bytes, separated by commas`,
    readWebhookSecrets,
    {
      fallback: [],
      secret: true,
      text: 'Webhook signing secrets, newest first; each is tried. When unset, `POST /webhooks` does not exist.',
    },
  ),
  WEBHOOK_SIGNATURE_HEADER: textLike('header name', HEADER_NAME, {
    fallback: 'Seek-Signature',
    text: 'Header that holds the webhook signature.',
  }),
  WEBHOOK_SIGNATURE_ALGORITHM: oneOf(['sha256', 'sha384', 'sha512'], {
    fallback: 'sha512',
    text: 'Hash of the webhook signature (HMAC, lower-case hex).',
  }),
  WEBHOOK_SUBSCRIPTION_SECRETS: setting<readonly SubscriptionSecret[], readonly SubscriptionSecret[]>(
    `\`subscriptionId=secret\`, separated by commas; at most ${SUBSCRIPTION_SECRETS_MAX} of one subscription`,
    readSubscriptionSecrets,
    {
      fallback: [],
      secret: true,
      text: 'Secrets of single subscriptions; during a rotation, list an id again with its previous secret. A listed subscription is verified only with its own secrets.',
    },
  ),
  WEBHOOK_UNSIGNED_SUBSCRIPTIONS: list('subscription id', OBJECT_ID, {
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
      text: 'How long the payload of a finished event is kept. Its id is kept permanently, so that no event is treated as new twice.',
    },
  ),
  EVENT_SINK_URL: url(['http', 'https'], { fallback: undefined, text: 'Where stored events are delivered.' }),
  EVENT_SINK_SECRET: setting<readonly Buffer[], readonly Buffer[]>(
    '`whsec_` and base64 of 24 to 64 bytes, separated by commas',
    (raw) => readParts(splitByComma(raw), 'secret', readSinkSecret),
    {
      fallback: [],
      secret: true,
      text: 'Signs deliveries by the Standard Webhooks scheme. During a rotation, add the previous secret after a comma; then both sign. Required with `EVENT_SINK_URL`.',
    },
  ),
  EVENT_SINK_ALLOW_PRIVATE: flag({
    fallback: false,
    text: 'Allow a sink at a private address other than loopback.',
  }),
  EVENT_SINK_TYPES: list('event type', EVENT_TYPE, {
    fallback: [],
    fallbackText: 'all',
    text: 'Types of events that are delivered; events of other types are only stored.',
  }),
  EVENT_SINK_HIRERS: list('hirer id', OBJECT_ID, {
    fallback: [],
    fallbackText: 'all',
    text: 'Hirers whose events are delivered; events of other hirers, and of none, are only stored.',
  }),
  EVENT_SINK_TIMEOUT_MS: integer(
    { min: 50, max: 60_000, unit: 'milliseconds' },
    { fallback: 15_000, text: 'Deadline of one delivery.' },
  ),
  EVENT_SINK_CONCURRENCY: integer(
    { min: 1, max: 100, unit: 'deliveries' },
    { fallback: 8, text: 'Most concurrent deliveries of one replica.' },
  ),
  EVENT_SINK_RETRY_SECONDS: setting<readonly number[], readonly number[]>(
    `up to ${RETRIES_MAX} pauses in seconds, separated by commas`,
    readRetries,
    {
      fallback: [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400],
      text: 'Pauses after the first failed attempt to deliver an event, the second, and so on, each ±20 %; after the last one the event is `dead`. The default adds up to 47 hours.',
    },
  ),
  EVENT_OBJECT_PATIENCE_SECONDS: integer(
    { min: 0, max: 604_800, unit: 'seconds' },
    {
      fallback: 3_600,
      text: 'How long after its receipt an event waits for its object while the upstream fails; then it is delivered without.',
    },
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
} as const satisfies Record<string, Setting<unknown>>;

function readWebhookSecrets(raw: string): Reading<readonly string[]> {
  const parts = splitByComma(raw);
  return parts.length > SECRETS_MAX
    ? { fault: `holds more than ${SECRETS_MAX} secrets; keep those that still sign` }
    : readParts(parts, 'secret', readWebhookSecret);
}

function readSubscriptionSecrets(raw: string): Reading<readonly SubscriptionSecret[]> {
  const reading = readParts(splitByComma(raw), 'pair', readSubscriptionSecret);
  if ('fault' in reading) return reading;
  const secrets = new Map<string, number>();
  for (const { id } of reading.value) secrets.set(id, (secrets.get(id) ?? 0) + 1);
  return Math.max(...secrets.values()) > SUBSCRIPTION_SECRETS_MAX
    ? {
        fault: `holds more than ${SUBSCRIPTION_SECRETS_MAX} secrets of one subscription; keep those that still sign`,
      }
    : reading;
}

function readRetries(raw: string): Reading<readonly number[]> {
  const parts = raw.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length > RETRIES_MAX) return { fault: `holds more than ${RETRIES_MAX} pauses` };
  return readParts(parts, 'pause', (part) => {
    const value = Number(part);
    return /^\d{1,6}(\.\d{1,3})?$/.test(part) && value > 0 && value <= RETRY_SECONDS_MAX
      ? { value }
      : { fault: `must be a number above 0 and up to ${RETRY_SECONDS_MAX}, seconds` };
  });
}

function readWebhookSecret(value: string): Reading<string> {
  const bytes = Buffer.byteLength(value);
  return bytes >= 16 && bytes <= 255 ? { value } : { fault: 'must have 16 to 255 bytes' };
}

function readSubscriptionSecret(pair: string): Reading<SubscriptionSecret> {
  const at = pair.indexOf('=');
  const id = pair.slice(0, Math.max(at, 0)).trim();
  if (!OBJECT_ID.test(id)) return { fault: 'must be written as subscriptionId=secret' };
  const secret = readWebhookSecret(pair.slice(at + 1).trim());
  return 'fault' in secret
    ? { fault: 'must have a secret of 16 to 255 bytes' }
    : { value: { id, secret: secret.value } };
}

/** The key of a secret (Standard Webhooks, "Symmetric" secrets); the prefix may be left out. */
function readSinkSecret(text: string): Reading<Buffer> {
  const encoded = text.replace(/^whsec_/, '');
  const value = Buffer.from(encoded, 'base64');
  return BASE64.test(encoded) && value.length >= 24 && value.length <= 64
    ? { value }
    : { fault: 'must be whsec_ and base64 of 24 to 64 bytes' };
}
