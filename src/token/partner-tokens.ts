import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SingleFlight } from '../concurrency/single-flight.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';
import type { Check } from '../telemetry/health.js';
import type { Culprit } from '../telemetry/conditions/condition-table.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Issuer, type PartnerTokenAnswer } from '../upstream/issuer.js';
import { KeptSecrets } from '../upstream/kept-secrets.js';
import { RequestContext } from '../http/request-context.js';
import { PartnerTokenState, withTimes, type TimedToken } from './partner-token-state.js';
import { partnerTokenKey, SharedTokens, type StoredToken } from './shared-tokens.js';
import type { RefusedBy, TokenSource } from './token-renewal.js';

const CREDENTIALS_REFUSED_PAUSE_MS = 60_000;
/** The pause after a failure is up to the first, doubled for each failure before it, and up to the last. */
const PAUSE_MS_FIRST = 250;
const PAUSE_MS_LAST = 30_000;

/** The identity of the partner at the issuer. */
type PartnerSettings = Pick<
  Config,
  'ISSUER_TOKEN_URL' | 'PARTNER_CLIENT_ID' | 'PARTNER_AUDIENCE' | 'PARTNER_TOKEN_REQUEST'
>;

/**
 * The partner token: the all-powerful credential of the service (interface 5.2). It is fetched once for all waiting
 * requests, shared sealed between replicas, renewed in the background at four fifths of its life, never handed out
 * near its end, and never requested during the pause after a failure. It is never given to a caller of the service;
 * only the upstream client may use it. {@link PartnerTokenState} decides; this class fetches.
 */
@Injectable()
export class PartnerTokens implements OnApplicationBootstrap, TokenSource {
  private readonly key: string;
  /** Consecutive failures of the issuer. */
  private failures = 0;
  /** By the steady clock. */
  private pausedUntil = 0;
  private readonly state = new PartnerTokenState();
  private readonly renewals = new SingleFlight<TimedToken>();
  private readonly requests;
  private readonly calls;
  /** Re-checks the conditions that the last answer of the issuer decides. */
  private readonly looks: readonly (() => Promise<void>)[];
  /** Why the issuer refused the credentials, if it did so last. */
  private credentialsFault: string | undefined;

  constructor(
    @Inject(CONFIG) partner: PartnerSettings,
    private readonly secrets: Secrets,
    private readonly issuer: Issuer,
    private readonly shared: SharedTokens,
    private readonly kept: KeptSecrets,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    conditions: Conditions,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly random: () => number = Math.random,
    /** Milliseconds of a clock that is never set. */
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    const { ISSUER_TOKEN_URL, PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST } = partner;
    const audience = PARTNER_AUDIENCE ?? null;
    this.key = partnerTokenKey([ISSUER_TOKEN_URL!.href, PARTNER_CLIENT_ID!, audience, PARTNER_TOKEN_REQUEST]);
    secrets.onChange('PARTNER_CLIENT_SECRET', () => this.resume());
    this.requests = metrics.counter(
      'bff_partner_token_requests_total',
      'Token requests to the issuer: granted, refused (credentials) or failed.',
      ['outcome'],
    );
    for (const outcome of ['granted', 'refused', 'failed']) this.requests.inc({ outcome }, 0);
    metrics.gauge(
      'bff_partner_token_remaining_seconds',
      'Seconds until the partner token in hand expires; 0 when there is none.',
      [],
      (gauge) => gauge.set(this.remainingSeconds),
    );
    metrics.gauge(
      'bff_partner_token_lifetime_seconds',
      'Whole life of the partner token in hand, as the issuer gave it; 0 when there is none.',
      [],
      (gauge) => {
        const { expiresAt = 0, issuedAt = 0 } = this.state.token ?? {};
        gauge.set((expiresAt - issuedAt) / 1000);
      },
    );
    this.calls = conditions.calls('issuer-failing', 'issuer');
    const blame = (): Culprit | undefined => conditions.culpritOf('credentials-refused');
    this.looks = [
      conditions.figure('credentials-refused', () => this.credentialsFault),
      conditions.figure('partner-token-missing', () => this.missing, blame),
    ];
  }

  /** Requests the first token, so that the replica becomes ready without a request. The start does not wait for it. */
  onApplicationBootstrap(): void {
    if (!this.ready) this.renewInBackground();
  }

  /** Seconds until the token in hand expires; 0 when there is none. */
  get remainingSeconds(): number {
    return Math.max(0, ((this.state.token?.expiresAt ?? 0) - this.now()) / 1000);
  }

  /** True if a token can be handed out without asking the issuer. */
  get ready(): boolean {
    return this.state.usableAt(this.now()) !== undefined;
  }

  /** True if the issuer is not asked for now, after a failure. */
  get paused(): boolean {
    return this.pauseMs > 0;
  }

  private get pauseMs(): number {
    return Math.max(0, this.pausedUntil - this.steadyNow());
  }

  private resume(): void {
    [this.failures, this.pausedUntil] = [0, 0];
  }

  /**
   * For the health check. Before the first token nothing can be served. Later, an issuer that is down affects all
   * replicas alike, and cached tokens and webhooks continue to work, so it never makes a replica unready. A check also
   * triggers a retry, so that a replica without requests becomes ready.
   */
  check(): Check {
    if (this.ready) {
      return this.failures > 0
        ? { state: 'degraded', reason: 'the issuer gives no new partner token; the one in hand still serves' }
        : { state: 'up' };
    }
    this.renewInBackground();
    return this.state.wasGranted
      ? { state: 'degraded', reason: 'the partner token has run out and the issuer gives no new one' }
      : { state: 'down', reason: 'there has been no partner token yet' };
  }

  private get missing(): string | undefined {
    const { state, reason } = this.check();
    return state === 'down' || (!this.ready && this.failures > 0) ? reason : undefined;
  }

  /**
   * A partner token that is not about to expire. Waiting callers share one request, and its failure.
   * @returns synchronously when it is in memory
   * @throws BffError `unavailable` when none can be obtained
   */
  get(context: RequestContext): string | Promise<string> {
    const now = this.now();
    const token = this.state.usableAt(now);
    if (token === undefined) return this.renew(context).then(({ accessToken }) => accessToken);
    if (this.state.isRenewalDueAt(now) && !this.renewals.get(this.key) && !this.paused) {
      this.renewInBackground();
    }
    return token;
  }

  /**
   * Replaces a token that the upstream did not accept, unless another one is in hand by now. It stays in use until
   * there is a new one, and while the issuer gives none, unless the token endpoint refused it. A token that replaced a
   * refused one less than 5 s ago is not replaced, unless the token endpoint refuses what it accepted before.
   */
  async replace(accessToken: string, context: RequestContext, by: RefusedBy = 'operation'): Promise<boolean> {
    const { token } = this.state;
    const next = this.state.refuse(accessToken, by, this.steadyNow());
    if (next !== 'renew') return next === 'gone';
    if (this.renewals.get(this.key) || !this.paused) await this.renew(context).catch(() => undefined); // logged where it failed
    return this.state.endRenewal(token!, by);
  }

  /** The token endpoint accepted this token. */
  confirm(accessToken: string): void {
    this.state.confirm(accessToken);
  }

  private renewInBackground(): void {
    void this.renew(RequestContext.background()).catch(() => undefined); // logged where it failed
  }

  private renew(context: RequestContext): Promise<TimedToken> {
    const underWay = this.renewals.get(this.key);
    if (underWay) return underWay;
    return this.renewals.run(this.key, () => this.obtain(context).finally(() => this.look()));
  }

  private look(): void {
    for (const look of this.looks) void look();
  }

  /** From another replica if one has a newer token, otherwise from the issuer. */
  private async obtain(context: RequestContext): Promise<TimedToken> {
    const token = (await this.findShared()) ?? withTimes(await this.request(context), this.random());
    this.kept.keep(token.accessToken);
    this.state.take(token, this.steadyNow());
    return token;
  }

  private async findShared(): Promise<TimedToken | undefined> {
    const stored = await this.shared.get(this.key);
    const found = stored && withTimes(stored, this.random());
    return found && this.state.canShareAt(this.now(), found) ? found : undefined;
  }

  private async request(context: RequestContext): Promise<StoredToken> {
    if (this.paused) throw this.unavailable('the issuer is not asked again yet after a failure');
    const issuedAt = this.now();
    const clientSecret = this.secrets.current.PARTNER_CLIENT_SECRET!;
    const answer = await this.issuer.requestToken(clientSecret, context);
    this.report(answer);
    if (answer.kind === 'refused') throw this.pauseAfter(answer, context);
    this.requests.inc({ outcome: 'granted' });
    this.resume();
    const { accessToken, lifeSeconds } = answer;
    const token = { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 };
    this.shared.put(this.key, token);
    return token;
  }

  /** An issuer that refuses the credentials is up. */
  private report(answer: PartnerTokenAnswer): void {
    this.credentialsFault = answer.kind === 'refused' && answer.credentials ? answer.reason : undefined;
    if (answer.kind === 'granted' || answer.credentials) return this.calls.succeeded();
    const { reason, retryAfterSeconds: wait } = answer;
    this.calls.failed(wait === undefined ? reason : `${reason}, to be asked again after ${wait} s`);
  }

  private pauseAfter(
    { credentials, reason, retryAfterSeconds = 0 }: Extract<PartnerTokenAnswer, { kind: 'refused' }>,
    { requestId }: RequestContext,
  ): BffError {
    this.requests.inc({ outcome: credentials ? 'refused' : 'failed' });
    const atLeastMs = Math.max(credentials ? CREDENTIALS_REFUSED_PAUSE_MS : 0, retryAfterSeconds * 1000);
    const ownMs = Math.min(PAUSE_MS_LAST, PAUSE_MS_FIRST * 2 ** this.failures) * this.random();
    this.failures += 1;
    this.pausedUntil = this.steadyNow() + Math.max(atLeastMs, Math.round(ownMs));
    this.log.error({ requestId, reason, retryInMs: this.pauseMs }, 'no partner token');
    return this.unavailable(reason);
  }

  private unavailable(message: string): BffError {
    return new BffError('unavailable', {
      message,
      retryAfterSeconds: Math.max(1, Math.ceil(this.pauseMs / 1000)),
    });
  }
}
