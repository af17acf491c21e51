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
