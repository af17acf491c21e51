import type { EndUser } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Subscription } from '../../storage/database.js';
import type { StatedMembership } from '../membership.js';

/** The memberships of a user. */
export interface SourceAnswer {
  readonly memberships: readonly StatedMembership[];
  /** How long the source allows its answer to be reused, in milliseconds; it can only shorten our own bounds. */
  readonly maxAgeMs?: number;
}

/** A user as a source knows them. */
export type SourceUser = Pick<EndUser, 'issuer' | 'subject'>;

/** The port: where memberships are kept, at the cost of a query or a call. `MembershipCache` is in front. */
export abstract class MembershipSource {
  /**
   * The user's memberships.
   * @param context of the request that asks first, for its trace
   * @throws StoreError, or BffError `unavailable`, when the source fails
   */
  abstract read(user: SourceUser, context?: RequestContext): Promise<SourceAnswer>;

  /**
   * Calls back after every change, with the user it concerns; without one when it concerns many, or may have been missed.
   * Absent where the source announces no changes: its answers are then reused until they expire.
   */
  abstract watch?(onChange: (user?: SourceUser) => void): Subscription;
}
