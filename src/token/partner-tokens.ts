import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SingleFlight } from '../concurrency/single-flight.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';
import type { Condition } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Issuer } from '../upstream/issuer.js';
import { RequestContext } from '../http/request-context.js';
import { Backoff } from './backoff.js';
import { sharedKey } from './cache-key.js';
import { SharedTokens, type SharedToken } from './shared-tokens.js';

const MARGIN_MS_MAX = 60_000;
const MARGIN_SHARE = 0.2;
const SOFT_SHARE = 0.8;
const SOFT_JITTER = 0.1;
const CREDENTIALS_REFUSED_PAUSE_MS = 60_000;
/** How long a token that replaced a refused one is not replaced again, in milliseconds. */
export const REPLACEMENT_HOLD_MS = 5_000;

/** Who the partner is at the issuer. */
type PartnerSettings = Pick<
  Config,
  'ISSUER_TOKEN_URL' | 'PARTNER_CLIENT_ID' | 'PARTNER_AUDIENCE' | 'PARTNER_TOKEN_REQUEST'
>;

interface CurrentToken extends SharedToken {
  /** Not handed out after this time (epoch ms): a minute before its end, or a fifth of its life. */
  readonly unusableAt: number;
  /** Renewed in the background after this time. */
  readonly renewAt: number;
}

/** Who says that a token is not accepted: the token endpoint, which judges it alone, or the answer to an operation. */
export type RefusedBy = 'token-endpoint' | 'operation';

/**
 * The partner token: the all-powerful credential of the service (interface 5.2). It is fetched once for all waiting
 * requests, shared sealed between replicas, renewed in the background at four fifths of its life, never handed out
 * near its end, and never requested during the pause after a failure. It is never given to a caller of the service;
 * only the upstream client may use it.
 */
@Injectable()
export class PartnerTokens implements OnApplicationBootstrap {
  private readonly key: string;
  private readonly backoff: Backoff;
  private current: CurrentToken | undefined;
  private readonly renewals = new SingleFlight<CurrentToken>();
  private granted = false;
  /** The last token that was found refused: it is not taken back from the shared cache. */
  private refused: string | undefined;
  /** Whether the next token replaces a refused one. */
  private replacing = false;
  /** Until then (epoch ms) the token in hand, which replaced a refused one, is not replaced again. */
  private heldUntil = 0;
  /** Whether the token endpoint has accepted the token in hand: refused there later on, it was revoked. */
  private confirmed = false;
  private readonly requests;

  constructor(
    @Inject(CONFIG) private readonly partner: PartnerSettings,
    private readonly secrets: Secrets,
    private readonly issuer: Issuer,
    private readonly shared: SharedTokens,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly random: () => number = Math.random,
  ) {
    const { ISSUER_TOKEN_URL, PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST } = partner;
    this.key = sharedKey('partner-token', [
      ISSUER_TOKEN_URL!.href,
      PARTNER_CLIENT_ID!,
      PARTNER_AUDIENCE ?? '',
      String(PARTNER_AUDIENCE !== undefined),
      PARTNER_TOKEN_REQUEST,
    ]);
    secrets.onChange('PARTNER_CLIENT_SECRET', () => this.backoff.succeed());
    this.backoff = new Backoff(now, random);
    this.requests = metrics.counter(
      'bff_partner_token_requests_total',
      'Token requests to the issuer, by outcome: granted, refused (credentials), failed.',
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
      (gauge) => gauge.set(this.current ? (this.current.expiresAt - this.current.issuedAt) / 1000 : 0),
    );
    metrics.circuit('issuer', () => this.paused);
  }

  /** Requests the first token, so that the replica becomes ready without a request. The start does not wait for it. */
  onApplicationBootstrap(): void {
    void this.get(RequestContext.background()).catch(() => undefined); // logged where it failed
  }

  /** Seconds until the token in hand expires; 0 when there is none. */
  get remainingSeconds(): number {
    return this.current ? Math.max(0, (this.current.expiresAt - this.now()) / 1000) : 0;
  }

  /** Whether a token can be handed out without asking the issuer. */
  get ready(): boolean {
    return this.current !== undefined && this.now() < this.current.unusableAt;
  }

  /** Whether the issuer is not asked for now, after a failure. */
  get paused(): boolean {
    return this.backoff.waitMs > 0;
  }

  /**
   * For the health check. Before the first token nothing can be served. Later, an issuer that is down affects all
   * replicas alike, and cached tokens and webhooks continue to work, so it never makes a replica unready. A check also
   * triggers a retry, so that a replica without requests becomes ready.
   */
  condition(): Condition {
    if (this.ready) {
      return this.backoff.failing
        ? { state: 'degraded', reason: 'the issuer gives no new partner token; the one in hand still serves' }
        : { state: 'up' };
    }
    void this.get(RequestContext.background()).catch(() => undefined); // logged where it failed
    return this.granted
      ? { state: 'degraded', reason: 'the partner token has run out and the issuer gives no new one' }
      : { state: 'down', reason: 'there has been no partner token yet' };
  }

  /**
   * A partner token that is not about to expire. Waiting callers share one request, and its failure.
   * @throws BffError `unavailable` when none can be obtained
   */
  async get(context: RequestContext): Promise<string> {
    const { current } = this;
    if (!current || this.now() >= current.unusableAt) return (await this.renew(context)).accessToken;
    if (this.now() >= current.renewAt && !this.renewals.get(this.key) && this.backoff.waitMs === 0) {
      void this.renew(RequestContext.background()).catch(() => undefined); // logged where it failed
    }
    return current.accessToken;
  }

  /**
   * Replaces a token that the upstream did not accept. It stays in use until there is a new one, since an operation may
   * be refused for other reasons; a token that replaced a refused one less than 5 s ago stays, unless the token
   * endpoint refuses what it accepted before. While the issuer gives no new one it stays too, unless the token endpoint
   * refused it.
   * @returns whether to get a token and send again; false when the refusal is to be passed on
   */
  async drop(
    accessToken: string,
    context: RequestContext = RequestContext.background(),
    by: RefusedBy = 'operation',
  ): Promise<boolean> {
    if (!this.isCurrent(accessToken)) return true;
    const isRevoked = by === 'token-endpoint' && this.confirmed;
    if (this.now() < this.heldUntil && !isRevoked) return false;
    this.refused = accessToken;
    this.replacing = true;
    if (this.renewals.get(this.key) || !this.paused) await this.renew(context).catch(() => undefined); // logged where it failed
    if (this.isCurrent(accessToken) && by === 'token-endpoint') this.current = undefined;
    return !this.isCurrent(accessToken);
  }

  /** The token endpoint accepted this token. */
  confirm(accessToken: string): void {
    if (this.isCurrent(accessToken)) this.confirmed = true;
  }

  private isCurrent(accessToken: string): boolean {
    return this.current?.accessToken === accessToken;
  }

  private renew(context: RequestContext): Promise<CurrentToken> {
    const underWay = this.renewals.get(this.key);
    if (underWay) return context.waitFor(underWay);
    return this.renewals.run(this.key, () => this.obtain(context));
  }

  /** From another replica when one has a newer token, else from the issuer. */
  private async obtain(context: RequestContext): Promise<CurrentToken> {
    const stored = await this.shared.get(this.key);
    const found = stored && stored.accessToken !== this.refused ? this.withEdges(stored) : undefined;
    const token = found && this.now() < found.renewAt ? found : await this.request(context);
    if (this.replacing) this.heldUntil = this.now() + REPLACEMENT_HOLD_MS;
    this.replacing = false;
    this.confirmed = false;
    this.current = token;
    this.granted = true;
    return token;
  }

  private async request(context: RequestContext): Promise<CurrentToken> {
    if (this.backoff.waitMs > 0) throw this.unavailable('the issuer is not asked again yet after a failure');
    const issuedAt = this.now();
    const answer = await this.issuer.requestToken(
      {
        clientId: this.partner.PARTNER_CLIENT_ID!,
        clientSecret: this.secrets.current.PARTNER_CLIENT_SECRET!,
        audience: this.partner.PARTNER_AUDIENCE,
        encoding: this.partner.PARTNER_TOKEN_REQUEST,
      },
      context,
    );
    if (answer.kind === 'refused') {
      this.requests.inc({ outcome: answer.credentials ? 'refused' : 'failed' });
      const pauseMs = answer.credentials ? CREDENTIALS_REFUSED_PAUSE_MS : 0;
      this.backoff.fail(Math.max(pauseMs, (answer.retryAfterSeconds ?? 0) * 1000));
      this.log.error(
        { requestId: context.requestId, reason: answer.reason, retryInMs: this.backoff.waitMs },
        'no partner token',
      );
      throw this.unavailable(answer.reason);
    }
    this.requests.inc({ outcome: 'granted' });
    this.backoff.succeed();
    const { accessToken, lifeSeconds } = answer;
    return this.withEdges(
      this.shared.put(this.key, { accessToken, issuedAt, expiresAt: issuedAt + lifeSeconds * 1000 }),
    );
  }

  private withEdges(token: SharedToken): CurrentToken {
    const lifeMs = token.expiresAt - token.issuedAt;
    const usableMs = lifeMs - Math.min(MARGIN_MS_MAX, lifeMs * MARGIN_SHARE);
    const softMs = lifeMs * (SOFT_SHARE + SOFT_JITTER * (2 * this.random() - 1));
    return {
      ...token,
      unusableAt: token.issuedAt + usableMs,
      renewAt: token.issuedAt + Math.min(softMs, usableMs * (1 - SOFT_JITTER)),
    };
  }

  private unavailable(message: string): BffError {
    return new BffError('unavailable', {
      message,
      culprit: 'issuer',
      retryAfterSeconds: Math.max(1, Math.ceil(this.backoff.waitMs / 1000)),
    });
  }
}
