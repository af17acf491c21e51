import type { EndUser } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Subscription } from '../../storage/database.js';
import type { Membership } from '../hirer-access.js';

/** Maximum number of hirers that the database lists for a user; a list this long may have been truncated. */
export const LISTED_HIRERS_MAX = 1_000;

/** The answer of a source. */
export interface SourceAnswer {
  /** Sorted by hirer id. */
  readonly memberships: readonly Membership[];
  /** How long the source allows its answer to be reused, in milliseconds; it can only shorten our own bounds. */
  readonly maxAgeMs?: number;
}

/** A user whose memberships have changed. */
export type ChangedUser = Pick<EndUser, 'issuer' | 'subject'>;

/** The port: where memberships are kept, at the cost of a query or a call. {@link CachedHirerAccess} is in front. */
export abstract class MembershipSource {
  /**
   * The user's memberships, or only the one at `hirerId` when it is given.
   * @param context of the request that asks first, for its trace
   * @throws StoreError, or BffError `unavailable`, when the source fails
   */
  abstract read(user: EndUser, hirerId?: string, context?: RequestContext): Promise<SourceAnswer>;

  /**
   * Calls back after every change, with the user it concerns; without one when it concerns many, or may have been missed.
   * Absent where the source announces no changes: its answers are then reused until they expire.
   */
  abstract watch?(onChange: (user?: ChangedUser) => void): Subscription;
}
