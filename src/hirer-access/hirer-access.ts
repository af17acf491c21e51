import type { EndUser } from '../http/end-user.js';

/** A user's place in a hirer. */
export interface Membership {
  readonly hirerId: string;
  readonly roles: readonly string[];
}

/** The port: who belongs to which hirer. A source that cannot say throws BffError `unavailable`; nothing opens. */
export interface HirerAccess {
  /** The user's membership of the hirer, or undefined. Given at once, without a promise, when it is known. */
  find(user: EndUser, hirerId: string): Membership | undefined | Promise<Membership | undefined>;
  /** Every membership of the user, by hirer id. */
  list(user: EndUser): readonly Membership[] | Promise<readonly Membership[]>;
}

/** Injection token of the {@link HirerAccess} that `HIRER_ACCESS` chose. */
export const HirerAccess = Symbol('HirerAccess');
