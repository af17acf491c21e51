import { Injectable } from '@nestjs/common';
import { Metrics, type Durations } from '../telemetry/metrics.js';

/** The connections of a client to one target. */
export interface ConnectionUsage {
  readonly target: string;
  /** Open connections. */
  readonly connections: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** The metrics that the clients of upstream and issuer share. */
@Injectable()
export class UpstreamMetrics {
  private readonly durations: Durations<'target' | 'outcome'>;
  private readonly sources: (() => readonly ConnectionUsage[])[] = [];

  constructor(metrics: Metrics) {
    this.durations = metrics.duration(
      'bff_upstream_request_duration_seconds',
      'Time of one request to upstream or issuer, by target and outcome (status class, or kind of fault).',
      ['target', 'outcome'],
    );
    metrics.gauge(
      'bff_upstream_connections',
      'Open connections to upstream and issuer, by target.',
      ['target'],
      (gauge) => {
        for (const { target, connections } of this.usage()) gauge.set({ target }, connections);
      },
    );
    const help = 'Calls that wait for a connection, by target.';
    metrics.gauge('bff_upstream_waiting_calls', help, ['target'], (gauge) => {
      for (const { target, waiting } of this.usage()) gauge.set({ target }, waiting);
    });
  }

  /** Reports the connections of a client from now on. */
  report(usage: () => readonly ConnectionUsage[]): void {
    this.sources.push(usage);
  }

  /** @param outcome status class, or kind of fault */
  observe(target: string, outcome: string, seconds: number): void {
    this.durations.observe({ target, outcome }, seconds);
  }

  private usage(): readonly ConnectionUsage[] {
    return this.sources.flatMap((read) => read());
  }
}
