import { randomBytes } from 'node:crypto';
import { TEXT, type Body } from '../http/body-schemas.js';

/** Every scope a browser token of this playground can have (interface 11; 2.1 names the first three). */
export const SCOPES = [
  'query:ontologies',
  'query:ad-products',
  'query:organizations',
  'query:advertisement-brandings',
  'query:application-library-question-suggestions',
  'query:application-questionnaires',
  'mutate:application-questionnaires',
  'query:position-profiles',
  'query:posted-position-profile-previews',
  'download:candidate-profile-attachments',
  'query:seek-candidate-profiles',
] as const;

/** A partner token: every hirer related to the partner. */
export interface PartnerToken {
  readonly kind: 'partner';
  expiresAtMs: number;
}

/** A browser token: one hirer, some scopes (interface.md 5.3). */
export interface BrowserToken {
  readonly kind: 'browser';
  readonly hirerId: string;
  readonly scopes: ReadonlySet<string>;
  readonly userId: string;
  expiresAtMs: number;
}

/** A token that the playground issued. */
export type AccessToken = PartnerToken | BrowserToken;

/** The contents of an Authorization header. */
export type Credential =
  | { readonly state: 'valid'; readonly token: AccessToken }
  | { readonly state: 'expired'; readonly token: AccessToken }
  | { readonly state: 'none' }
  | { readonly state: 'unknown' };

/** The members of a filter of tokens, as JSON Schema has them; every one given must match. */
export const TOKEN_MEMBERS = { kind: { enum: ['partner', 'browser'] }, hirerId: TEXT } as const;
/** Which tokens to end. */
export type TokenFilter = Body<typeof TOKEN_MEMBERS>;

/** How long an expired token is still distinguished from an unknown one. */
const MEMORY_OF_EXPIRED_MS = 24 * 3_600_000;

/** Every token issued by this playground. Tokens are random text: they carry no information. */
export class Tokens {
  private readonly tokens = new Map<string, AccessToken>();

  constructor(private readonly now: () => number) {}

  issuePartner(lifetimeSeconds: number): string {
    return this.add({ kind: 'partner', expiresAtMs: this.expiry(lifetimeSeconds) });
  }

  issueBrowser(grant: Pick<BrowserToken, 'hirerId' | 'scopes' | 'userId'>, lifetimeSeconds: number): string {
    return this.add({ kind: 'browser', ...grant, expiresAtMs: this.expiry(lifetimeSeconds) });
  }

  /** Reads an Authorization header; the scheme is matched case-insensitively (RFC 9110, 11.1). */
  read(authorization: string | undefined): Credential {
    if (authorization === undefined) return { state: 'none' };
    const value = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization.trim())?.[1];
    const token = value === undefined ? undefined : this.tokens.get(value);
    if (token === undefined) return { state: 'unknown' };
    return { state: token.expiresAtMs <= this.now() ? 'expired' : 'valid', token };
  }

  /** Every token that is remembered, so that a test can check that none appears where it must not. */
  values(): string[] {
    return [...this.tokens.keys()];
  }

  /** Makes tokens look expired from now on. Returns how many. */
  expire(filter: TokenFilter = {}): number {
    const found = this.find(filter);
    for (const [, token] of found) token.expiresAtMs = Math.min(token.expiresAtMs, this.now());
    return found.length;
  }

  /** Forgets tokens, as after a revocation. Returns how many. */
  revoke(filter: TokenFilter = {}): number {
    const found = this.find(filter);
    for (const [value] of found) this.tokens.delete(value);
    return found.length;
  }

  private find(filter: TokenFilter): [string, AccessToken][] {
    return [...this.tokens].filter(
      ([, token]) =>
        (filter.kind === undefined || token.kind === filter.kind) &&
        (filter.hirerId === undefined || (token.kind === 'browser' && token.hirerId === filter.hirerId)),
    );
  }

  private expiry(lifetimeSeconds: number): number {
    return this.now() + lifetimeSeconds * 1000;
  }

  private add(token: AccessToken): string {
    this.forgetLongExpired();
    const value = randomBytes(36).toString('base64url');
    this.tokens.set(value, token);
    return value;
  }

  /** Insertion order is close to expiry order, so the oldest few are enough to look at. */
  private forgetLongExpired(): void {
    for (const [value, token] of this.tokens) {
      if (token.expiresAtMs + MEMORY_OF_EXPIRED_MS > this.now()) return;
      this.tokens.delete(value);
    }
  }
}
