import type { Config } from '../config/load-config.js';
import { resourceAttributes, type IdentitySettings } from './service-identity.js';
import type { Log } from './log.js';
import type { Tracing } from './tracing.js';

type TracingSettings = IdentitySettings &
  Pick<
    Config,
    'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'TRACE_SAMPLE_PERCENT' | 'TRUST_TRACE'
  >;

/** Traces are on when a collector is set; OpenTelemetry is loaded only then. */
export async function openTracing(
  config: TracingSettings,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<Tracing | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  const options = {
    samplePercent: config.TRACE_SAMPLE_PERCENT,
    trustTrace: config.TRUST_TRACE,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: resourceAttributes(config),
  };
  return new OtlpTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, options, log);
}
