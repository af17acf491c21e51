/** The role of a machine, at every hirer. It is reserved: no membership, claim or service gives it to anyone. */
export const MACHINE_ROLE = 'machine';

/** Stands for the hirer where a machine calls an operation that is bound to none. No hirer has this id. */
export const NO_HIRER = '';

/** A person, or a back end of the partner's own (`MACHINE_SUBJECTS`), which is a member of every hirer. */
export interface Caller {
  /** The pseudonym for upstream, log and audit trail, a UUID. */
  readonly userId: string;
  /** Absent for a person. */
  readonly isMachine?: boolean;
}

/** The caller behind a request by the verified token: issuer and subject together. */
export interface EndUser extends Caller {
  /** One of `END_USER_ISSUER`; empty in playground mode without it. */
  readonly issuer: string;
  /** `sub` of the token. May be personal data: it is never sent upstream, logged or used in a metric. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** End of the token's life, epoch milliseconds. */
  readonly expiresAt: number;
}

/** An end user at a hirer they belong to, checked for this very request. */
export interface Member extends Caller {
  /** {@link NO_HIRER} only for a machine. */
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Scopes that the roles open, sorted. */
  readonly scopes: readonly string[];
}
