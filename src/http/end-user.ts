/** The role of a machine, at every hirer. It is reserved: no membership, claim or service gives it to anyone. */
export const MACHINE_ROLE = 'machine';

/** Stands for the hirer where a machine calls an operation that is bound to none. No hirer has this id. */
export const NO_HIRER = '';

const IDENTIFIER_BYTES_MAX = 255;
const CONTROL = /\p{Cc}/u;

/** A person, or a back end of the partner's own (`MACHINE_SUBJECTS`), which is a member of every hirer. */
export interface Caller {
  /** The pseudonym for upstream, log and audit trail, a UUID. */
  readonly userId: string;
  /** Absent for a person. */
  readonly isMachine?: boolean | undefined;
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
export class Member implements Caller {
  readonly userId: string;
  readonly isMachine?: boolean | undefined;
  readonly roles: readonly string[];
  /** Scopes that the roles open, sorted. */
  readonly scopes: readonly string[];

  /** @param hirerId {@link NO_HIRER} only for a machine */
  constructor(
    { userId, isMachine }: Caller,
    readonly hirerId: string,
    { roles, scopes }: Pick<Member, 'roles' | 'scopes'>,
  ) {
    this.userId = userId;
    this.isMachine = isMachine;
    this.roles = roles;
    this.scopes = scopes;
  }
}

/** True if a value can be an identifier of others, such as a `sub`: 1 to 255 bytes that every store and log can hold. */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    Buffer.byteLength(value) <= IDENTIFIER_BYTES_MAX &&
    value.isWellFormed() &&
    !CONTROL.test(value)
  );
}

/**
 * True if a value can be a hirer's object identifier (interface 2.5). It is opaque, so only its size is checked, and
 * that it is safe in JSON and in a log line; the scheme is the upstream's business.
 */
export function isHirerId(value: unknown): value is string {
  return isIdentifier(value) && !/^\s|\s$/.test(value);
}
