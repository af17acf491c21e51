import { headers, integer, oneOf, url, type Setting } from '../values/setting.js';

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
