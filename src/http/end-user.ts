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
