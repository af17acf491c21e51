import type { StoredToken } from './shared-tokens.js';
import { REPLACEMENT_HOLD_MS, type RefusedBy } from './token-renewal.js';

const MARGIN_MS_MAX = 60_000;
const MARGIN_SHARE = 0.2;
const SOFT_SHARE = 0.8;
const SOFT_JITTER = 0.1;
/** How far the clocks of replicas differ at most. A token of a later time is one from before the clock was set back. */
const CLOCK_TOLERANCE_MS = 10_000;

/** A partner token, and when it is handed out no more and renewed. */
export interface TimedToken extends StoredToken {
  /** Not handed out from then on (epoch ms): a minute before its end, or a fifth of its life. */
  readonly unusableAt: number;
  /** Renewed in the background from then on (epoch ms): at about four fifths of its life. */
  readonly renewAt: number;
}

/** @param jitter 0 to 1: replicas that share a token do not renew it at the same time */
export function withTimes(token: StoredToken, jitter: number): TimedToken {
  const lifeMs = token.expiresAt - token.issuedAt;
  const usableMs = lifeMs - Math.min(MARGIN_MS_MAX, lifeMs * MARGIN_SHARE);
  const softMs = lifeMs * (SOFT_SHARE + SOFT_JITTER * (2 * jitter - 1));
  return {
    ...token,
    unusableAt: token.issuedAt + usableMs,
    renewAt: token.issuedAt + Math.min(softMs, usableMs * (1 - SOFT_JITTER)),
  };
}

/**
 * The consequence of a refusal: the token is dropped, it stays for now, or a new one must be fetched.
 */
type AfterRefusal = 'gone' | 'pass-on' | 'renew';

/**
 * The state of the partner token: the one in hand, and the last one that was refused. It decides and fetches
 * nothing; every time is passed in: epoch milliseconds, or `steadyNow` of a clock that is never set.
 */
export class PartnerTokenState {
  private current: TimedToken | undefined;
  /** The last token that was refused: it is not taken back from the shared cache. */
  private refused: string | undefined;
  /** Until then, by the steady clock, the token in hand, which replaced a refused one, is not replaced again. */
  private heldUntil = 0;
  /** True if the token endpoint has accepted the token in hand: refused there later on, it was revoked. */
  private isConfirmed = false;

  /** The token in hand, even if it is not handed out any more. */
  get token(): TimedToken | undefined {
    return this.current;
  }

  /** True if there has been a token. */
  get wasGranted(): boolean {
    return this.current !== undefined || this.refused !== undefined;
  }

  /** The token to be handed out; undefined when there is none, or it is about to expire. */
  usableAt(now: number): string | undefined {
    const { current } = this;
    return current && hasBegun(current, now) && now < current.unusableAt ? current.accessToken : undefined;
  }

  /** True if the token in hand is old enough to be renewed in the background. */
  isRenewalDueAt(now: number): boolean {
    return this.current !== undefined && now >= this.current.renewAt;
  }

  /** True if a token that another replica shares is good enough: not the refused one, and not old. */
  canShareAt(now: number, token: TimedToken): boolean {
    return token.accessToken !== this.refused && hasBegun(token, now) && now < token.renewAt;
  }

  /** Takes a token in hand. One that replaces a refused one is held. */
  take(token: TimedToken, steadyNow: number): void {
    if (this.isReplacing) this.heldUntil = steadyNow + REPLACEMENT_HOLD_MS;
    if (token.accessToken === this.refused) this.refused = undefined;
    this.isConfirmed = false;
    this.current = token;
  }

  /** The token endpoint accepted this token. */
  confirm(accessToken: string): void {
    if (this.isCurrent(accessToken)) this.isConfirmed = true;
  }

  /**
   * The upstream refused this token. It stays in hand until there is a new one, since an operation may be refused for
   * other reasons. One that is held stays, unless the token endpoint refuses what it accepted before.
   */
  refuse(accessToken: string, by: RefusedBy, steadyNow: number): AfterRefusal {
    if (!this.isCurrent(accessToken)) return 'gone';
    const isRevoked = by === 'token-endpoint' && this.isConfirmed;
    if (steadyNow < this.heldUntil && !isRevoked) return 'pass-on';
    this.refused = accessToken;
    return 'renew';
  }

  /**
   * The renewal after a refusal has ended. Without a new token, the refused one stays in hand, unless it is certain
   * that it is worthless, because the token endpoint refused it. If the issuer returns the same text again, that is a new
   * token.
   * @param refused the token in hand when the renewal began
   * @returns whether another token is available
   */
  endRenewal(refused: TimedToken, by: RefusedBy): boolean {
    if (this.current === refused && by === 'token-endpoint') this.current = undefined;
    return this.current !== refused;
  }

  /** True if the next token replaces a refused one. */
  private get isReplacing(): boolean {
    return this.refused !== undefined && (!this.current || this.isCurrent(this.refused));
  }

  private isCurrent(accessToken: string): boolean {
    return this.current?.accessToken === accessToken;
  }
}

function hasBegun({ issuedAt }: TimedToken, now: number): boolean {
  return issuedAt <= now + CLOCK_TOLERANCE_MS;
}
