import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { isUncoded } from '../http/header-values.js';
import type { RequestContext } from '../http/request-context.js';
import {
  ExchangeFault,
  OutgoingRequest,
  type ExchangeBounds,
  type IncomingAnswer,
} from '../http/outgoing/exchange.js';
import {
  HttpClient,
  type ClientSettings,
  type EndedCall,
  type StreamingAnswer,
} from '../http/outgoing/http-client.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { KeptPartnerTokens } from './kept-partner-tokens.js';
import {
  JSON_HEADERS,
  encodeCredentials,
  readBrowserToken,
  readPartnerToken,
  type CredentialSettings,
  type PartnerTokenAnswer,
  type TokenGrant,
} from './token-grant.js';
import { fromRefusal, throwFault } from './upstream-answer.js';

/** Most downloads under way at one time, of all users: each holds a connection for as long as its caller reads. */
export const DOWNLOADS_MAX = 128;
/** Token requests are short, and there is at most one at a time for each user, hirer and set of scopes. */
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

const TOKEN_BYTES_MAX = 65_536;

/** Body of the upstream's `POST /auth/token` (interface 2.1). */
export interface BrowserTokenRequest {
  readonly hirerId: string;
  /** Sorted, without repetition. */
  readonly scopes: readonly string[];
  /** Pseudonym of the end user. */
  readonly userId: string;
}

/** How a GraphQL request is sent. */
interface GraphqlOptions extends Pick<ExchangeBounds, 'bodyBytesMax' | 'cancellation'> {
  /** None for what needs no token. */
  readonly token: string | undefined;
  /** `Accept-Language` of the end user the answer is for; none where it is for several. */
  readonly language?: string | undefined;
  /** `UPSTREAM_TIMEOUT_MS` by default. */
  readonly timeoutMs?: number;
}

type UpstreamSettings = ClientSettings &
  CredentialSettings &
  Pick<Config, 'UPSTREAM_URL' | 'UPSTREAM_TIMEOUT_MS' | 'ISSUER_TOKEN_URL' | 'ISSUER_TIMEOUT_MS'> &
  Partial<Pick<Config, 'UPSTREAM_IN_FLIGHT_MAX'>>;

/**
 * Issuer and upstream, with a client for each service, so that calls which hang at one take no connection of another.
 * Each call is measured, judged for the conditions, and logged under an id of its own (interface, Tracing requests). An
 * answer that holds a partner token is forbidden.
 */
@Injectable()
export class Upstream implements OnApplicationShutdown {
  private readonly issuer: HttpClient;
  private readonly token: HttpClient;
  private readonly graphql: HttpClient;
  private readonly attachment: HttpClient;
  private readonly durations: Histogram<'target' | 'outcome'>;
  private readonly times = new RollingCounts(MINUTE_MS);
  /** What the answers of the browser-token endpoint say, whatever their status. */
  private readonly tokenAnswers: CallReports;

  constructor(
    @Inject(CONFIG) private readonly config: UpstreamSettings,
    metrics: Metrics,
    private readonly conditions: Conditions,
    @Inject(LOG) private readonly log: Log,
    private readonly kept: KeptPartnerTokens,
    // one text: a path that begins with two slashes would name another host
    @Default()
    readonly graphqlUrl = new URL(`${config.UPSTREAM_URL!.origin}${pathOf(config.UPSTREAM_URL)}/graphql`),
  ) {
    const { ISSUER_TOKEN_URL, UPSTREAM_URL, UPSTREAM_IN_FLIGHT_MAX: inFlightMax = 0 } = config;
    this.issuer = this.open('issuer', ISSUER_TOKEN_URL, ISSUER_CONNECTIONS_MAX);
    this.token = this.open('token', UPSTREAM_URL, TOKEN_CONNECTIONS_MAX);
    this.graphql = this.open('graphql', graphqlUrl, inFlightMax + GRAPHQL_CONNECTIONS_SPARE);
    this.attachment = this.open('attachment', UPSTREAM_URL, DOWNLOADS_MAX);
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
    this.tokenAnswers = conditions.calls('upstream-failing', 'browser token answers');
  }

  /**
   * Client-credentials request to the issuer (RFC 6749 section 4.4.2; `audience` as the public issuer wants it). Each
   * fault of the issuer is a refusal, not thrown.
   */
  async requestPartnerToken(clientSecret: string, context: RequestContext): Promise<PartnerTokenAnswer> {
    const { ISSUER_TOKEN_URL: url, ISSUER_TIMEOUT_MS: timeoutMs } = this.config;
    const path = url!.pathname + url!.search;
    const bounds = { timeoutMs, bodyBytesMax: TOKEN_BYTES_MAX };
    try {
      const { headers, body } = encodeCredentials(this.config, clientSecret);
      const request = new OutgoingRequest('POST', path, headers, bounds, body);
      const answer = await this.issuer.send(request, context);
      return readPartnerToken(answer, clientSecret);
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      return { kind: 'refused', reason: error.kind, credentials: false };
    }
  }

  /**
   * Asks for a browser token (interface 4.2).
   * @returns undefined when the upstream does not accept the partner token
   * @throws BffError `hirer_not_connected`, `rate_limited`, `unavailable`, `upstream_error` or `upstream_timeout`
   */
  async requestBrowserToken(
    { hirerId, scopes, userId }: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<TokenGrant | undefined> {
    const body = JSON.stringify({ hirerId, scope: scopes.join(' '), userId });
    const answer = await this.postToTokenEndpoint(body, partnerToken, context).catch(throwFault);
    if (answer.status === 401) {
      this.tokenAnswers.failed('the partner token is refused');
      return undefined;
    }
    if (answer.status === 403) {
      throw new BffError('hirer_not_connected', { message: 'token endpoint answered 403' });
    }
    if (answer.status !== 200) throw fromRefusal(answer, 'token endpoint');
    const granted = readBrowserToken(answer, scopes, partnerToken);
    if (!granted) {
      const message = 'no bearer token with a life, of the very scope asked, that is not the partner token';
      this.tokenAnswers.failed('no token that can be used');
      throw new BffError('upstream_error', { message: `token endpoint: ${message}` });
    }
    this.tokenAnswers.succeeded();
    return granted;
  }

  /** @throws ExchangeFault when no whole answer came in time */
  postToTokenEndpoint(body: string, partnerToken: string, context: RequestContext): Promise<IncomingAnswer> {
    const { UPSTREAM_URL, UPSTREAM_TIMEOUT_MS: timeoutMs } = this.config;
    const headers = { authorization: `Bearer ${partnerToken}`, ...JSON_HEADERS };
    const path = `${pathOf(UPSTREAM_URL)}/auth/token`;
    const bounds = { timeoutMs, bodyBytesMax: TOKEN_BYTES_MAX };
    return this.token.send(new OutgoingRequest('POST', path, headers, bounds, body), context);
  }

  /**
   * Sends one GraphQL request (interface 4.1).
   * @param body as the interface has it (2.3): an operation, or an array of them
   * @throws ExchangeFault when no whole answer came in time
   */
  sendGraphql(
    body: string | Buffer,
    options: GraphqlOptions,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const { token, language, bodyBytesMax, cancellation } = options;
    const { timeoutMs = this.config.UPSTREAM_TIMEOUT_MS } = options;
    const headers: Record<string, string> = { ...JSON_HEADERS };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (language !== undefined) headers['accept-language'] = language;
    const path = this.graphqlUrl.pathname + this.graphqlUrl.search;
    const bounds = { timeoutMs, bodyBytesMax, cancellation };
    return this.graphql.send(new OutgoingRequest('POST', path, headers, bounds, body), context);
  }

  /**
   * Opens an attachment, whose body breaks off before the first byte of a partner token. The body of what is no file is
   * not read, and its connection is closed. `path` has the query too.
   * @throws BffError `upstream_error`, for a header with a partner token too, or `upstream_timeout`
   */
  async openFile(
    method: 'GET' | 'HEAD',
    path: string,
    token: string,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    const headers = { authorization: `Bearer ${token}` };
    const { UPSTREAM_TIMEOUT_MS: timeoutMs } = this.config;
    const bounds = { timeoutMs, bodyBytesMax: 0, cancellation: context.cancellation };
    const request = new OutgoingRequest(method, path, headers, bounds);
    const answer = await this.attachment.open(request, context).catch(throwFault);
    const isForbidden = this.kept.areInHeader(Object.values(answer.headers).join('\n'));
    if (!isForbidden && isFile(answer)) return { ...answer, body: this.kept.guard(answer.body) };
    answer.body.on('error', () => undefined).destroy();
    if (isForbidden) throw new BffError('upstream_error', { message: 'a header holds a partner token' });
    return answer;
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [this.issuer, this.token, this.graphql, this.attachment];
    await Promise.all(all.map((client) => client.close()));
  }

  private open(target: string, url = NOWHERE, connectionsMax: number): HttpClient {
    const party = target === 'issuer' ? 'issuer' : 'upstream';
    const judge = party === 'upstream' ? this.judgeOf(target) : undefined; // the issuer is judged by what its answers say
    return new HttpClient(target, url, this.config, {
      party,
      connectionsMax,
      isForbidden: party === 'upstream' ? (answer) => this.holdsToken(answer) : undefined,
      onEnd: (call) => {
        judge?.(call);
        this.report(target, call);
      },
    });
  }

  private holdsToken({ body, headers }: IncomingAnswer): boolean {
    const { 'content-language': language } = headers;
    return this.kept.areIn(body) || (language !== undefined && this.kept.areInHeader(String(language)));
  }

  private report(target: string, { outcome, elapsedMs, id, context }: EndedCall): void {
    this.durations.observe({ target, outcome }, elapsedMs / 1000);
    const level = outcome === '2xx' ? 'debug' : 'warn';
    if (!this.log.isLevelEnabled(level)) return;
    const { requestId, sessionId } = context;
    const ms = Math.round(elapsedMs);
    this.log[level]({ requestId, sessionId, upstreamRequestId: id, target, outcome, ms }, 'upstream call');
  }

  private judgeOf(target: string): (call: EndedCall) => void {
    const what = target === 'token' ? 'browser tokens' : target;
    const calls = this.conditions.calls('upstream-failing', what);
    const limits = this.conditions.calls('upstream-rate-limited', what);
    return ({ outcome, status, elapsedMs }) => {
      const isSlow = elapsedMs > SLOW_MS;
      const isUntelling = UNTELLING.includes(outcome);
      if (PROMPT.includes(target) && (isSlow || !isUntelling)) this.times.add(isSlow);
      if (isUntelling) return;
      if (ANSWERED.includes(outcome)) calls.succeeded();
      else calls.failed(outcome);
      if (status === 429) limits.failed('429');
      else if (outcome === '2xx') limits.succeeded();
    };
  }
}

export function isFile({ status, headers }: Pick<StreamingAnswer, 'status' | 'headers'>): boolean {
  return status === 200 && isUncoded(headers);
}

function pathOf(url: URL | undefined): string {
  return url?.pathname.replace(/\/$/, '') ?? '';
}
