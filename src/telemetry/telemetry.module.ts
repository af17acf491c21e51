import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Conditions } from './conditions/conditions.js';
import { Health } from './health.js';
import { LOG, type Log } from './log.js';
import { Metrics } from './metrics.js';
import type { OtlpTracing, TracingConfig } from './otlp-tracing.js';

/** The services that the modules report to; created before them. */
export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly conditions: Conditions;
}

/**
 * Telemetry: log, metrics, traces, the registry of health checks, and the one list of what is wrong. Public interface:
 * {@link LOG}, {@link Metrics}, {@link Health} and {@link Conditions}. Modules report to it; it knows none of them. No
 * token is ever reported, and no metric label holds a user or hirer.
 */
@Global()
@Module({})
export class TelemetryModule {
  static with({ log, metrics, health, conditions }: Telemetry): DynamicModule {
    const help = '1 while a condition of GET /conditions is active, otherwise 0.';
    metrics.gauge('bff_condition', help, ['condition', 'severity'], (gauge) => {
      for (const { name, severity, active } of conditions.list()) {
        gauge.set({ condition: name, severity }, active ? 1 : 0);
      }
    });
    return {
      module: TelemetryModule,
      providers: [
        { provide: LOG, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: Health, useValue: health },
        { provide: Conditions, useValue: conditions },
      ],
      exports: [LOG, Metrics, Health, Conditions],
    };
  }
}

/** Traces are on when a collector is set; OpenTelemetry is loaded only then. */
export async function openTracing(
  config: TracingConfig,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<OtlpTracing | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const otlp = await import('./otlp-tracing.js');
  return new otlp.OtlpTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, config, log);
}
