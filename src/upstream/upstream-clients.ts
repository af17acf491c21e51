import type { Histogram } from 'prom-client';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { HttpClient, type ClientSettings, type EndedCall } from '../http/outgoing/http-client.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { PartnerTokenGuard } from './partner-token-guard.js';

/** Most downloads under way at one time, of all users: each holds a connection for as long as its caller reads. */
export const DOWNLOADS_MAX = 128;
/** Token requests are short, and there is at most one at a time for each user and hirer. */
const TOKEN_CONNECTIONS_MAX = 32;
/** One request serves all callers. */
const ISSUER_CONNECTIONS_MAX = 4;
/** For calls without a caller, which UPSTREAM_IN_FLIGHT_MAX does not count: names of hirers, reconciliation. */
const GRAPHQL_CONNECTIONS_SPARE = 16;

const MINUTE_MS = 60_000;
const SLOW_MS = 2_000;
const SLOW_CALLS_MIN = 3;
const SLOW_SHARE = 0.05;
/** Each call of an end user to one of these has somebody waiting. */
const PROMPT = ['graphql', 'token'];
/** Outcomes that say nothing of the other side's health: the caller left, or asked for too much. */
const UNTELLING = ['aborted', 'too_large'];
/** Outcomes that are answers, hoped for or not. */
const ANSWERED = ['2xx', '4xx'];
/** Of a command that calls one of the two alone. */
const NOWHERE = new URL('http://not-set.invalid');

type UpstreamSettings = ClientSettings &
  Partial<Pick<Config, 'UPSTREAM_URL' | 'ISSUER_TOKEN_URL' | 'UPSTREAM_IN_FLIGHT_MAX'>>;

/**
 * The clients of issuer and upstream, one for each service, so that calls which hang at one take no connection of
 * another. Each call is logged under an id of its own (interface, Tracing requests). An answer that holds a partner
 * token is forbidden.
 */
@Injectable()
export class UpstreamClients implements OnApplicationShutdown {
  readonly issuer: HttpClient;
  readonly token: HttpClient;
  readonly graphql: HttpClient;
  readonly attachment: HttpClient;
  private readonly durations: Histogram<'target' | 'outcome'>;
  private readonly times = new RollingCounts(MINUTE_MS);

  constructor(
    @Inject(CONFIG) private readonly config: UpstreamSettings,
    metrics: Metrics,
    private readonly conditions: Conditions,
    @Inject(LOG) private readonly log: Log,
    private readonly kept: PartnerTokenGuard,
  ) {
    const { UPSTREAM_IN_FLIGHT_MAX: inFlightMax = 0 } = config;
    this.issuer = this.open('issuer', ISSUER_CONNECTIONS_MAX);
    this.token = this.open('token', TOKEN_CONNECTIONS_MAX);
    this.graphql = this.open('graphql', inFlightMax + GRAPHQL_CONNECTIONS_SPARE);
    this.attachment = this.open('attachment', DOWNLOADS_MAX);
    this.durations = metrics.duration(
      'bff_upstream_request_duration_seconds',
      'One request to upstream or issuer: the class of its status, or the kind of fault.',
      ['target', 'outcome'],
    );
    conditions.figure('upstream-slow', () => {
      const { all, bad } = this.times.read();
      const isSlow = bad >= SLOW_CALLS_MIN && bad > all * SLOW_SHARE;
      return isSlow ? `slow: ${bad} of ${all} calls in a minute` : undefined;
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [this.issuer, this.token, this.graphql, this.attachment];
    await Promise.all(all.map((client) => client.close()));
  }

  private open(target: string, connectionsMax: number): HttpClient {
    const { ISSUER_TOKEN_URL, UPSTREAM_URL } = this.config;
    const party = target === 'issuer' ? 'issuer' : 'upstream';
    const url = (party === 'issuer' ? ISSUER_TOKEN_URL : UPSTREAM_URL) ?? NOWHERE;
    return new HttpClient(target, url, this.config, {
      party,
      connectionsMax,
      isForbidden: party === 'upstream' ? (answer) => this.holdsToken(answer) : undefined,
      onEnd: (call) => this.end(target, call),
    });
  }

  private holdsToken({ body, headers }: IncomingAnswer): boolean {
    const { 'content-language': language } = headers;
    return this.kept.areIn(body) || (language !== undefined && this.kept.areInHeader(String(language)));
  }

  private end(target: string, { outcome, status, elapsedMs, id, context }: EndedCall): void {
    this.durations.observe({ target, outcome }, elapsedMs / 1000);
    this.judge(target, outcome, status, elapsedMs);
    const level = outcome === '2xx' ? 'debug' : 'warn';
    if (!this.log.isLevelEnabled(level)) return;
    const { requestId, sessionId } = context;
    const ms = Math.round(elapsedMs);
    this.log[level]({ requestId, sessionId, upstreamRequestId: id, target, outcome, ms }, 'upstream call');
  }

  private judge(target: string, outcome: string, status: number | undefined, elapsedMs: number): void {
    if (target === 'issuer') return; // whose answers are judged by their content
    const isSlow = elapsedMs > SLOW_MS;
    const isUntelling = UNTELLING.includes(outcome);
    if (PROMPT.includes(target) && (isSlow || !isUntelling)) this.times.add(isSlow);
    if (isUntelling) return;
    const what = target === 'token' ? 'browser tokens' : target;
    const calls = this.conditions.calls('upstream-failing', what);
    if (ANSWERED.includes(outcome)) calls.succeeded();
    else calls.failed(outcome);
    const limits = this.conditions.calls('upstream-rate-limited', what);
    if (status === 429) limits.failed('429');
    else if (outcome === '2xx') limits.succeeded();
  }
}
