import { Global, Module, type DynamicModule } from '@nestjs/common';
import { reportHealth } from './health-metrics.js';
import { Health } from './health.js';
import type { Log } from './log.js';
import { Metrics } from './metrics.js';

/** Injection token of the {@link Log}. */
export const LOG = Symbol('LOG');

/**
 * Telemetry: log, metrics, traces and the registry of health checks. Modules report to it; it knows none of them.
 * Nothing that is reported holds a token, and no metric label a user or hirer.
 */
@Global()
@Module({})
export class TelemetryModule {
  static with(log: Log, metrics: Metrics): DynamicModule {
    const health = new Health();
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
