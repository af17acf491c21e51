import {
  integer,
  oneOf,
  readParts,
  setting,
  splitByComma,
  url,
  type Reading,
  type Setting,
} from '../values/setting.js';
import { isDecodable } from '../values/url-forms.js';

const HEADER_PAIR = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/** Settings of log and traces. */
export const TELEMETRY = {
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    fallback: 'info',
    text: 'Minimum log level.',
  }),
  LOG_FORMAT: oneOf(['json', 'pretty'], {
    fallback: 'json',
    fallbackText: 'json; pretty in playground mode',
    text: 'One JSON object per line, or text for a terminal.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], {
    fallback: undefined,
    plainHttp: true,
    text: 'OpenTelemetry collector (OTLP over HTTP), without the path `/v1/traces`; traces are on when set. OpenTelemetry reads variables of its own besides, such as `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_CERTIFICATE`.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting('`name=value`, separated by commas', readHeaders, {
    fallback: {},
    fallbackText: 'none',
    secret: true,
    text: 'Headers of each request to the collector. A value is percent-encoded where it holds a comma or a percent sign: `Authorization=Basic%20…`.',
  }),
  TRACE_SAMPLE_PERCENT: integer(0, 100, 'percent', {
    fallback: 100,
    text: 'Share of requests that are traced. When the trace of a caller is continued, the caller decides.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** Values are percent-encoded, as OpenTelemetry has it. */
function readHeaders(raw: string): Reading<Readonly<Record<string, string>>> {
  const read = readParts(splitByComma(raw), 'pair', readHeader);
  return 'fault' in read ? read : { value: Object.fromEntries(read.value) };
}

function readHeader(pair: string): Reading<readonly [name: string, value: string]> {
  const [, name, text] = HEADER_PAIR.exec(pair) ?? [];
  if (name === undefined || text === undefined) return { fault: 'must be written as name=value' };
  const value = isDecodable(text) ? decodeURIComponent(text) : '';
  return HEADER_VALUE.test(value)
    ? { value: [name, value] }
    : { fault: 'has a value that no header can have' };
}
