import { BROKER_SCHEMES, brokerUrlFault } from '../values/broker-url.js';
import {
  flag,
  integer,
  list,
  readParts,
  setting,
  splitByComma,
  splitList,
  url,
  type Reading,
  type Setting,
} from '../values/setting.js';

/** An object identifier (interface 2.5), opaque. */
export const OBJECT_ID = /^[\x21-\x7e]{1,255}$/;
/** The type of an event. */
export const EVENT_TYPE = /^\w{1,255}$/;
/** Most pauses of a retry schedule. */
export const RETRIES_MAX = 50;
/** Longest pause of a retry schedule. */
export const RETRY_SECONDS_MAX = 604_800;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Settings of the single sink. Those below `EVENT_SINK_HIRERS` are the defaults of the sinks of a file. */
export const SINKS = {
  EVENT_SINK_URL: url(
    ['http', 'https', ...BROKER_SCHEMES],
    {
      fallback: undefined,
      text: 'Where stored events are delivered: over HTTP, or to NATS JetStream (`nats`, `tls`) or RabbitMQ (`amqp`, `amqps`) ([events.md](events.md#to-a-broker)). Without TLS on loopback alone.',
    },
    brokerUrlFault,
  ),
  EVENT_SINK_SECRET: setting(
    '`whsec_` and base64 of 24 to 64 bytes, separated by commas',
    (raw) => readParts(splitByComma(raw), 'item', readSinkSecret),
    {
      fallback: [],
      secret: true,
      text: 'Signs deliveries by the Standard Webhooks scheme. During a rotation, add the previous secret after a comma; then both sign. Required with an `EVENT_SINK_URL` of HTTP.',
    },
  ),
  EVENT_SINK_ALLOW_PRIVATE: flag({
    fallback: false,
    text: 'Allow a sink at a private address other than loopback.',
  }),
  EVENT_SINK_TYPES: list('event types', EVENT_TYPE, {
    fallback: [],
    fallbackText: 'all',
    text: 'Types of events that are delivered; events of other types are only stored.',
  }),
  EVENT_SINK_HIRERS: list('hirer ids', OBJECT_ID, {
    fallback: [],
    fallbackText: 'all',
    text: 'Hirers whose events are delivered; events of other hirers, and of none, are only stored.',
  }),
  EVENT_SINK_TIMEOUT_MS: integer(50, 60_000, 'milliseconds', {
    fallback: 15_000,
    text: 'Deadline of one delivery.',
  }),
  EVENT_SINK_CONCURRENCY: integer(1, 100, 'deliveries', {
    fallback: 8,
    text: 'Most concurrent deliveries of one replica.',
  }),
  EVENT_SINK_RETRY_SECONDS: setting(
    `up to ${RETRIES_MAX} pauses in seconds, separated by commas`,
    readRetries,
    {
      hasLines: true,
      fallback: [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400],
      text: 'Pauses after the first failed attempt to deliver an event, the second, and so on, each ±20 %; after the last one the event is `dead`. The default adds up to 47 hours.',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>;

function readRetries(raw: string): Reading<readonly number[]> {
  const parts = splitList(raw);
  if (parts.length > RETRIES_MAX) return { fault: `holds more than ${RETRIES_MAX} pauses` };
  return readParts(parts, 'pause', (part) => {
    const value = Number(part);
    return /^\d{1,6}(\.\d{1,3})?$/.test(part) && value > 0 && value <= RETRY_SECONDS_MAX
      ? { value }
      : { fault: `must be a number above 0 and up to ${RETRY_SECONDS_MAX}, seconds` };
  });
}

/** The key of a secret (Standard Webhooks, "Symmetric" secrets); the prefix may be left out. */
function readSinkSecret(text: string): Reading<Buffer> {
  const encoded = text.replace(/^whsec_/, '');
  const value = Buffer.from(encoded, 'base64');
  return BASE64.test(encoded) && value.length >= 24 && value.length <= 64
    ? { value }
    : { fault: 'must be whsec_ and base64 of 24 to 64 bytes' };
}
