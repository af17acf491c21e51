import type { EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';

/** A user's place at a hirer. */
export interface Membership {
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Sorted scopes that the roles may ask for. */
  readonly scopes: readonly string[];
}

/**
 * The port: which person belongs to which hirer. It is not asked about machines, and gives nobody their role. When that
 * cannot be found out, it throws BffError `unavailable`. The context is that of the request that asks, for the trace of a
 * call.
 */
export abstract class HirerAccess {
  /** The user's membership at the hirer, or undefined; without a promise when it is in memory. */
  abstract find(
    user: EndUser,
    hirerId: string,
    context?: RequestContext,
  ): Membership | undefined | Promise<Membership | undefined>;

  /** Every membership of the user, sorted by hirer id. */
  abstract list(
    user: EndUser,
    context?: RequestContext,
  ): readonly Membership[] | Promise<readonly Membership[]>;
}
