/** The person behind a request, as stated by the verified token. Issuer and subject together are the identity. */
export interface EndUser {
  /** `END_USER_ISSUER`; empty in playground mode without it. */
  readonly issuer: string;
  /** `sub` of the token. May be personal data: it is never sent upstream, logged or used in a metric. */
  readonly subject: string;
  /** The pseudonym of the user for upstream, log and audit trail, a UUID. */
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
