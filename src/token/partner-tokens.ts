import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';
import type { Culprit } from '../telemetry/conditions/condition-table.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import type { Check } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { KeptPartnerTokens } from '../upstream/kept-partner-tokens.js';
import type { PartnerTokenAnswer } from '../upstream/token-grant.js';
import { Upstream } from '../upstream/upstream.js';
import { RequestContext } from '../http/request-context.js';
import { partnerTokenKey, SharedTokens, type StoredToken } from './shared-tokens.js';
import { REPLACEMENT_HOLD_MS, type RefusedBy, type TokenSource } from './replace-refused-token.js';

const MARGIN_MS_MAX = 60_000;
const MARGIN_SHARE = 0.2;
/** The part of a token's useful life after which it is renewed, and up to how much later: replicas do it in turn. */
const RENEW_SHARE = 0.75;
const RENEW_JITTER = 0.1;
/** How far the clocks of replicas differ at most. A token of a later time is one from before the clock was set back. */
const CLOCK_TOLERANCE_MS = 10_000;
const CREDENTIALS_REFUSED_PAUSE_MS = 60_000;
/** The pause after a failure is up to the first, doubled for each failure before it, and up to the last. */
const PAUSE_MS_FIRST = 250;
const PAUSE_MS_LAST = 30_000;

type Identity = 'ISSUER_TOKEN_URL' | 'PARTNER_CLIENT_ID' | 'PARTNER_AUDIENCE' | 'PARTNER_TOKEN_REQUEST';

/**
 * The partner token: the all-powerful credential of the service (interface 5.2), for the upstream client alone. It is
 * fetched once for all who wait, shared sealed between replicas, renewed in the background, and not handed out near its
 * end.
 */
@Injectable()
export class PartnerTokens implements OnApplicationBootstrap, TokenSource {
  private readonly key: string;
  private token: StoredToken | undefined;
  private readonly renewShare: number;
  /** The last token that was refused: it is not taken back from the shared cache. */
  private refused: string | undefined;
  /** Until then, by the steady clock, the token in hand, which replaced a refused one, is not replaced again. */
  private heldUntil = 0;
  /** True if the token endpoint has accepted the token in hand: refused there later on, it was revoked. */
  private isConfirmed = false;
  /** Consecutive failures of the issuer. */
  private failures = 0;
  /** By the steady clock. */
  private pausedUntil = 0;
  /** Why the issuer refused the credentials, if it did so last. */
  private credentialsFault: string | undefined;
  private renewal: Promise<StoredToken> | undefined;
  private readonly requests;
  private readonly calls;

  constructor(
    @Inject(CONFIG) partner: Pick<Config, Identity>,
    private readonly secrets: Secrets,
    private readonly upstream: Upstream,
    private readonly shared: SharedTokens,
    private readonly kept: KeptPartnerTokens,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    conditions: Conditions,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly random: () => number = Math.random,
    /** Milliseconds of a clock that is never set. */
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    const { ISSUER_TOKEN_URL, PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST } = partner;
    const issuer = ISSUER_TOKEN_URL!.href;
    this.key = partnerTokenKey([issuer, PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST]);
    this.renewShare = RENEW_SHARE + RENEW_JITTER * random();
    secrets.onChange('PARTNER_CLIENT_SECRET', () => (this.pausedUntil = 0));
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
    this.calls = conditions.calls('issuer-failing', 'issuer');
    conditions.figure('credentials-refused', () => this.credentialsFault);
    const blame = (): Culprit | undefined => conditions.culpritOf('credentials-refused');
    conditions.figure('partner-token-missing', () => this.missing, blame);
  }

  /** So that the replica becomes ready without a request. The start does not wait for it. */
  onApplicationBootstrap(): void {
    if (!this.ready) this.renewInBackground();
  }

  get remainingSeconds(): number {
    return Math.max(0, ((this.token?.expiresAt ?? 0) - this.now()) / 1000);
  }

  /** True if a token can be handed out without asking the issuer. */
  get ready(): boolean {
    return this.token !== undefined && this.isUseful(this.token);
  }

  /** True if the issuer is not asked for now, after a failure. */
  get paused(): boolean {
    return this.steadyNow() < this.pausedUntil;
  }

  private resume(): void {
    [this.failures, this.pausedUntil] = [0, 0];
  }

  /**
   * Before the first token nothing can be served. Later, an issuer that is down affects all replicas alike, and cached
   * tokens and webhooks still work, so it never makes a replica unready. A check also retries after a failure, for a
   * replica without requests.
   */
  check(): Check {
    if (!this.ready || this.failures > 0) this.renewInBackground();
    if (this.ready) return { state: 'up' };
    return (this.token?.accessToken ?? this.refused)
      ? { state: 'degraded', reason: 'the partner token has run out and the issuer gives no new one' }
      : { state: 'down', reason: 'there has been no partner token yet' };
  }

  private get missing(): string | undefined {
    const { state, reason } = this.check();
    return state === 'down' || this.failures > 0 ? reason : undefined;
  }

  /**
   * Waiting callers share one request, and its failure. Synchronous when the token is in memory.
   * @throws BffError `unavailable`
   */
  get(context: RequestContext): string | Promise<string> {
    if (!this.ready) return this.renew(context).then(({ accessToken }) => accessToken);
    const token = this.token!;
    const isDue = !this.isUseful(token, this.renewShare);
    if (isDue && !this.renewal && !this.paused) this.renewInBackground();
    return token.accessToken;
  }

  /**
   * Replaces a token that the upstream did not accept. An operation may be refused for other reasons, so it stays in
   * use until there is a new one, unless the token endpoint refused it. One that replaced a refused one less than 5 s
   * ago is not replaced, unless the token endpoint refuses what it accepted before.
   */
  async replace(accessToken: string, context: RequestContext, by: RefusedBy = 'operation'): Promise<boolean> {
    const { token } = this;
    if (token?.accessToken !== accessToken) return true;
    const isRevoked = by === 'token-endpoint' && this.isConfirmed;
    if (this.steadyNow() < this.heldUntil && !isRevoked) return false;
    this.refused = accessToken;
    await this.renew(context).catch(() => undefined); // logged where it failed
    if (this.token === token && by === 'token-endpoint') this.token = undefined;
    return this.token !== token;
  }

  /** The token endpoint accepted this token. */
  confirm(accessToken: string): void {
    if (this.token?.accessToken === accessToken) this.isConfirmed = true;
  }

  private renewInBackground(): void {
    void this.renew(RequestContext.background()).catch(() => undefined); // logged where it failed
  }

  private renew(context: RequestContext): Promise<StoredToken> {
    this.renewal ??= this.obtain(context).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  /** From another replica if one has a newer token, otherwise from the issuer. */
  private async obtain(context: RequestContext): Promise<StoredToken> {
    const token = (await this.findShared()) ?? (await this.request(context));
    this.credentialsFault = undefined;
    this.calls.succeeded();
    this.resume();
    this.kept.keep(token.accessToken);
    const isReplacing =
      this.refused !== undefined && (!this.token || this.token.accessToken === this.refused);
    if (isReplacing) this.heldUntil = this.steadyNow() + REPLACEMENT_HOLD_MS;
    if (token.accessToken === this.refused) this.refused = undefined; // given once more, it is a new token
    this.isConfirmed = false;
    this.token = token;
    return token;
  }

  private async findShared(): Promise<StoredToken | undefined> {
    const found = await this.shared.get(this.key);
    if (!found || found.accessToken === this.refused) return undefined;
    return this.isUseful(found, this.ready ? this.renewShare : 1) ? found : undefined;
  }

  /** Until a minute before its end, or for four fifths of its life; or for a share of that. */
  private isUseful({ issuedAt, expiresAt }: StoredToken, share = 1): boolean {
    const lifeMs = expiresAt - issuedAt;
    const usefulMs = lifeMs - Math.min(MARGIN_MS_MAX, lifeMs * MARGIN_SHARE);
    const ageMs = this.now() - issuedAt;
    return ageMs >= -CLOCK_TOLERANCE_MS && ageMs < usefulMs * share;
  }

  private async request(context: RequestContext): Promise<StoredToken> {
    if (this.paused) throw this.unavailable('the issuer is not asked again yet after a failure');
    const issuedAt = this.now();
    const clientSecret = this.secrets.current.PARTNER_CLIENT_SECRET!;
    const answer = await this.upstream.requestPartnerToken(clientSecret, context);
    if (clientSecret !== this.secrets.current.PARTNER_CLIENT_SECRET && answer.kind === 'refused') {
      return this.request(context); // rotated meanwhile: the refusal is of the one before
    }
    if (answer.kind === 'refused') throw this.pauseAfter(answer, context);
    this.requests.inc({ outcome: 'granted' });
    const { accessToken, lifeSeconds } = answer;
    const token = { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 };
    this.shared.put(this.key, token);
    return token;
  }

  private pauseAfter(
    { credentials, reason, retryAfterSeconds = 0 }: Extract<PartnerTokenAnswer, { kind: 'refused' }>,
    { requestId }: RequestContext,
  ): BffError {
    this.requests.inc({ outcome: credentials ? 'refused' : 'failed' });
    this.credentialsFault = credentials ? reason : undefined;
    // an issuer that refuses the credentials is up
    if (credentials) this.calls.succeeded();
    else this.calls.failed(reason);
    const atLeastMs = Math.max(credentials ? CREDENTIALS_REFUSED_PAUSE_MS : 0, retryAfterSeconds * 1000);
    const ownMs = Math.min(PAUSE_MS_LAST, PAUSE_MS_FIRST * 2 ** this.failures) * this.random();
    this.failures += 1;
    const retryInMs = Math.max(atLeastMs, Math.round(ownMs));
    this.pausedUntil = this.steadyNow() + retryInMs;
    this.log.error({ requestId, reason, retryInMs }, 'no partner token');
    return this.unavailable(reason);
  }

  private unavailable(message: string): BffError {
    const retryAfterSeconds = Math.max(1, Math.ceil((this.pausedUntil - this.steadyNow()) / 1000));
    return new BffError('unavailable', { message, retryAfterSeconds });
  }
}
