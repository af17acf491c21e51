import { Injectable } from '@nestjs/common';
import type { Condition } from '../telemetry/health.js';
import type { Durations } from '../telemetry/counted-metrics.js';
import { Metrics } from '../telemetry/metrics.js';
import { RecentCalls } from '../telemetry/recent-calls.js';

/** The connections of a client to one target. */
export interface ConnectionUsage {
  readonly target: string;
  /** Open connections. */
  readonly connections: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

const FAILURES_MIN = 3;
/** Outcomes that say nothing of the other side's health: the caller left, or asked for too much. */
const UNTELLING = ['aborted', 'too_large'];
/** Answers, whether or not they are the ones we hoped for. */
const ANSWERED = ['2xx', '4xx'];

/** The measurements of the clients of upstream and issuer, and the health of each target by their calls. */
@Injectable()
export class UpstreamMetrics {
  private readonly durations: Durations<'target' | 'outcome'>;
  private readonly sources: (() => readonly ConnectionUsage[])[] = [];
  private readonly calls = new Map<string, RecentCalls>();

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
    if (UNTELLING.includes(outcome)) return;
    const calls = this.callsOf(target);
    if (ANSWERED.includes(outcome)) calls.succeed();
    else calls.fail(outcome);
  }

  /** The condition of the targets, by the latest calls to them. */
  condition(targets: readonly string[]): Condition {
    const called = targets.filter((target) => !this.callsOf(target).isIdle);
    if (called.length === 0) return this.callsOf(targets[0]!).condition();
    const faults = called.flatMap((target) => {
      const { state, reason } = this.callsOf(target).condition();
      return state === 'up' ? [] : [`${target}: ${reason}`];
    });
    return faults.length === 0 ? { state: 'up' } : { state: 'degraded', reason: faults.join('; ') };
  }

  private callsOf(target: string): RecentCalls {
    const known = this.calls.get(target);
    if (known) return known;
    const calls = new RecentCalls({ failuresMin: FAILURES_MIN });
    this.calls.set(target, calls);
    return calls;
  }

  private usage(): readonly ConnectionUsage[] {
    return this.sources.flatMap((read) => read());
  }
}
