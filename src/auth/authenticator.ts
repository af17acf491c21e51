import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BffError } from '../errors/bff-error.js';
import type { CountedCache } from '../telemetry/metrics.js';
import type { EndUser } from '../http/end-user.js';
import type { KeySource } from './key-source.js';
import { readRequestToken, refusal, type AuthenticationRequest, type CookiePolicy } from './request-token.js';
import { claimedHeader } from './token-header.js';
import type { UserIds } from './user-ids.js';
import { verifyToken, type TokenProfile } from './verify-token.js';

/** How long a verified token is believed without looking again. */
const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 10_000;
const REMEMBERED_BYTES_MAX = 67_108_864;
const ENTRY_OVERHEAD_BYTES = 500;
/** Claims in memory take so many times the size of the token, roughly. */
const CLAIMS_FACTOR = 4;

interface Remembered {
  readonly user: EndUser;
  /** Of the keys that verified the token. */
  readonly generation: number;
  /** Epoch milliseconds; never after the token's own end. */
  readonly until: number;
}

/**
 * Tells who sends a request. A verified token is remembered for a minute at most, under the SHA-256 of the whole of
 * it: a changed byte is another token. What is remembered is only who the user is, never what the user may do.
 */
export class Authenticator implements CountedCache {
  private readonly remembered = new LRUCache<string, Remembered>({
    max: REMEMBERED_MAX,
    maxSize: REMEMBERED_BYTES_MAX,
  });
  hits = 0;
  misses = 0;

  constructor(
    private readonly keys: KeySource,
    private readonly userIds: UserIds,
    private readonly policy: TokenProfile & CookiePolicy,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The end user behind the request; at once, without a promise, when the token was verified a moment ago.
   * @throws BffError `unauthenticated`; `csrf_failed`; `unavailable` while there are no keys to verify with
   */
  authenticate(request: AuthenticationRequest): EndUser | Promise<EndUser> {
    const token = readRequestToken(request, this.policy);
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.get(digest);
    if (known && this.holds(known)) {
      this.hits += 1;
      return known.user;
    }
    this.misses += 1;
    return this.verify(token, digest);
  }

  /** Tokens that are remembered. */
  get size(): number {
    return this.remembered.size;
  }

  private holds({ generation, until }: Remembered): boolean {
    return generation === this.keys.generation && this.now() < until;
  }

  private async verify(token: string, digest: string): Promise<EndUser> {
    const { generation } = this.keys;
    const now = this.now();
    try {
      const { claims, subject, expiresAt, notBefore } = await verifyToken(token, this.keys, this.policy, now);
      const issuer = this.policy.issuer ?? '';
      const user: EndUser = { issuer, subject, userId: this.userIds.of(issuer, subject), claims, expiresAt };
      const until = Math.min(now + REMEMBER_MS, expiresAt);
      const size = token.length * CLAIMS_FACTOR + ENTRY_OVERHEAD_BYTES;
      if (notBefore <= now && now < until) this.remembered.set(digest, { user, generation, until }, { size });
      return user;
    } catch (error) {
      if (error instanceof BffError) throw error;
      throw refusal(reasonOf(error), { cause: error, fields: claimedHeader(token) });
    }
  }
}

/** The first sentence of a verifier's message; what a JSON parser says is left out, since it quotes the token. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error) || fault instanceof SyntaxError) return 'token is not JSON';
  return fault.message.split('.', 1)[0]!;
}
