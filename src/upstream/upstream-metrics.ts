import { Injectable } from '@nestjs/common';
import type { CallReports } from '../telemetry/conditions/call-condition.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import type { Durations } from '../telemetry/counted-metrics.js';
import { Metrics } from '../telemetry/metrics.js';

/** The connections of a client to one target. */
export interface ConnectionUsage {
  readonly target: string;
  /** Open connections. */
  readonly connections: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

const MINUTE_MS = 60_000;
const SLOW_SECONDS = 2;
const SLOW_CALLS_MIN = 3;
const SLOW_SHARE = 0.05;
/** Each call of an end user to one of these has somebody waiting. */
const PROMPT = ['graphql', 'token'];
/** Outcomes that say nothing of the other side's health: the caller left, or asked for too much. */
const UNTELLING = ['aborted', 'too_large'];
const TOO_MANY_REQUESTS = 429;
/** Answers, whether or not they are the ones we hoped for. */
const ANSWERED = ['2xx', '4xx'];

/** The measurements of the clients of upstream and issuer, and what they say of the upstream. */
@Injectable()
export class UpstreamMetrics {
  private readonly durations: Durations<'target' | 'outcome'>;
  private readonly sources: (() => readonly ConnectionUsage[])[] = [];
  private readonly times = new RollingCounts(MINUTE_MS);
  private readonly failing = new Map<string, CallReports>();
  private readonly limited = new Map<string, CallReports>();

  constructor(
    metrics: Metrics,
    private readonly conditions: Conditions,
  ) {
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
    conditions.figure('upstream-slow', () => this.slowness);
    const help = 'Calls that wait for a connection, by target.';
    metrics.gauge('bff_upstream_waiting_calls', help, ['target'], (gauge) => {
      for (const { target, waiting } of this.usage()) gauge.set({ target }, waiting);
    });
  }

  /** Reports the connections of a client from now on. */
  report(usage: () => readonly ConnectionUsage[]): void {
    this.sources.push(usage);
  }

  /**
   * @param outcome status class, or kind of fault
   * @param status of the answer, if there is one
   */
  observe(target: string, outcome: string, seconds: number, status?: number): void {
    this.durations.observe({ target, outcome }, seconds);
    if (target === 'issuer') return; // its answers are judged by their content
    const isSlow = seconds > SLOW_SECONDS;
    const isUntelling = UNTELLING.includes(outcome);
    if (PROMPT.includes(target) && (isSlow || !isUntelling)) this.times.add(isSlow);
    if (isUntelling) return;
    const calls = this.callsOf('upstream-failing', this.failing, target);
    if (ANSWERED.includes(outcome)) calls.succeeded();
    else calls.failed(outcome);
    const limits = this.callsOf('upstream-rate-limited', this.limited, target);
    if (status === TOO_MANY_REQUESTS) limits.failed('429');
    else if (outcome === '2xx') limits.succeeded();
  }

  private callsOf(
    name: 'upstream-failing' | 'upstream-rate-limited',
    known: Map<string, CallReports>,
    target: string,
  ): CallReports {
    const calls = known.get(target) ?? this.conditions.calls(name, target);
    known.set(target, calls);
    return calls;
  }

  private get slowness(): string | undefined {
    const { all, bad } = this.times.read();
    return bad >= SLOW_CALLS_MIN && bad > all * SLOW_SHARE ? `${bad} of ${all} in a minute` : undefined;
  }

  private usage(): readonly ConnectionUsage[] {
    return this.sources.flatMap((read) => read());
  }
}
