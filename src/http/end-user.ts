/** The person behind a request, as the verified token tells. Issuer and subject together are the identity. */
export interface EndUser {
  /** `END_USER_ISSUER`; empty in playground mode without it. */
  readonly issuer: string;
  /** `sub` of the token. May be personal data: it goes to no upstream, log or metric. */
  readonly subject: string;
  /** The pseudonym that upstream, log and audit trail know the user by, a UUID. */
  readonly userId: string;
  /** Every claim of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** End of the token's life, epoch milliseconds. */
  readonly expiresAt: number;
}

/** An end user at a hirer they belong to, checked for this very request. */
export interface Member {
  readonly hirerId: string;
  /** The user's pseudonym. */
  readonly userId: string;
  readonly roles: readonly string[];
  /** Scopes that the roles open, sorted. */
  readonly scopes: readonly string[];
}
