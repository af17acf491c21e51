import {
  integer,
  oneOf,
  readParts,
  setting,
  splitByComma,
  text,
  textLike,
  TOKEN,
  type Reading,
  type Setting,
} from '../values/setting.js';
import { readSinksFile } from '../values/sinks-file.js';
import { SINKS } from './sinks.js';

/** Every webhook of a stranger is hashed with each secret. */
const SECRETS_MAX = 4;

/** Settings of webhooks that come in, events that go out, and reconciliation. */
export const WEBHOOKS = {
  WEBHOOK_SECRETS: setting(
    `at most ${SECRETS_MAX} secrets of 16 to 255 bytes, separated by commas`,
    readWebhookSecrets,
    {
      fallback: [],
      secret: true,
      text: 'Webhook signing secrets, newest first; each is tried. Without one there is no `POST /webhooks`.',
    },
  ),
  WEBHOOK_SIGNATURE_HEADER: textLike('header name', TOKEN, {
    fallback: 'Seek-Signature',
    text: 'Header that holds the webhook signature.',
  }),
  WEBHOOK_SIGNATURE_ALGORITHM: oneOf(['sha256', 'sha384', 'sha512'], {
    fallback: 'sha512',
    text: 'Hash of the webhook signature (HMAC, lower-case hex).',
  }),
  EVENT_RETENTION_DAYS: integer(1, 3_650, 'days', {
    fallback: 90,
    text: 'How long the payload of a finished event is kept.',
  }),
  ...SINKS,
  EVENT_SINKS_FILE: setting('path of a JSON file ([schema](../schemas/event-sinks.json))', readSinksFile, {
    fallback: [],
    secret: true,
    text: 'Several sinks, each with its own URL, secret, filter and retry schedule, in place of `EVENT_SINK_URL` ([events.md](events.md#several-sinks)). Of the file, only secrets reload.',
  }),
  EVENT_OBJECT_PATIENCE_SECONDS: integer(0, 604_800, 'seconds', {
    fallback: 3_600,
    text: 'How long after its receipt an event waits for its object while the upstream fails; then it is delivered without.',
  }),
  EVENTS_SCHEME_ID: text({
    fallback: undefined,
    text: 'Scheme whose events are reconciled by the `events` query; no reconciliation when unset.',
  }),
  EVENTS_POLL_SECONDS: integer(10, 86_400, 'seconds', {
    fallback: 300,
    text: 'Time between two reconciliations.',
  }),
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

function readWebhookSecret(value: string): Reading<string> {
  const bytes = Buffer.byteLength(value);
  return bytes >= 16 && bytes <= 255 ? { value } : { fault: 'must have 16 to 255 bytes' };
}
