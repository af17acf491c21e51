import { Global, Module, type DynamicModule } from '@nestjs/common';
import { reportHealth } from './health-metrics.js';
import { Health } from './health.js';
import { LOG, type Log } from './log.js';
import { Metrics } from './metrics.js';

/** The services that the modules report to; created before them. */
export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly health: Health;
}

/**
 * Telemetry: log, metrics, traces and the registry of health checks. Public interface: {@link LOG}, {@link Metrics} and
 * {@link Health}. Modules report to it; it knows none of them. No token is ever reported, and no metric label holds a
 * user or hirer.
 */
@Global()
@Module({})
export class TelemetryModule {
  static with({ log, metrics, health }: Telemetry): DynamicModule {
    reportHealth(health, metrics);
    return {
      module: TelemetryModule,
      providers: [
        { provide: LOG, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: Health, useValue: health },
      ],
      exports: [LOG, Metrics, Health],
    };
  }
}
