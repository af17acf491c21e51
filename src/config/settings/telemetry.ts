import { attributes, headers, integer, oneOf, textLike, url, type Setting } from '../values/setting.js';

const NAME = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/;

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
  OTEL_SERVICE_NAME: textLike('name of 1 to 255 printable ASCII characters', NAME, {
    fallback: undefined,
    fallbackText: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else partner-bff',
    text: 'Name of the service in log and traces.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: attributes({
    fallback: {},
    fallbackText: 'none',
    text: 'Attributes of the process, sent with its traces. A value is percent-encoded where it holds a comma, a blank or a percent sign.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], {
    fallback: undefined,
    plainHttp: true,
    text: 'OpenTelemetry collector (OTLP over HTTP), without the path `/v1/traces`; traces are on when set. Other variables of the exporter, such as `OTEL_EXPORTER_OTLP_TIMEOUT` and `OTEL_EXPORTER_OTLP_CERTIFICATE`, are read by the OpenTelemetry SDK.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headers({
    fallback: {},
    fallbackText: 'none',
    secret: true,
    text: 'Headers of each request to the collector. A value is percent-encoded where it holds a comma or a percent sign: `Authorization=Basic%20…`.',
  }),
  TRACE_SAMPLE_PERCENT: integer(
    { min: 0, max: 100, unit: 'percent' },
    {
      fallback: 100,
      text: 'Share of requests that are traced. When the trace of a caller is continued, the caller decides.',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>;
