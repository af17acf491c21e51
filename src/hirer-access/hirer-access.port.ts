import type { EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import type { Subscription } from '../storage/database.js';
import type { StatedMembership } from './membership.js';

/** What a user is at a hirer. */
export interface Membership {
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Sorted scopes that the roles may ask for. */
  readonly scopes: readonly string[];
}

/** All that a user is, by hirer id and in its order. */
export type Memberships = ReadonlyMap<string, Membership>;

/**
 * The port: which person belongs to which hirer; not asked about machines. When that cannot be found out, it throws
 * BffError `unavailable`. The context is that of the request that asks, for the trace of a call.
 */
export abstract class HirerAccess {
  /** Every membership of the user; without a promise when they are in memory. */
  abstract list(user: EndUser, context?: RequestContext): Memberships | Promise<Memberships>;
}

/** The memberships of a user. */
export interface SourceAnswer {
  readonly memberships: readonly StatedMembership[];
  /** How long the source allows its answer to be reused, in milliseconds; it can only shorten our own bounds. */
  readonly maxAgeMs?: number;
}

/** A user as a source knows them. */
export type SourceUser = Pick<EndUser, 'issuer' | 'subject'>;

/** Where memberships are kept, at the cost of a query or a call. `MembershipCache` is in front. */
export interface MembershipSource {
  /**
   * The user's memberships.
   * @param context of the request that asks first, for its trace
   * @throws StoreError, or BffError `unavailable`, when the source fails
   */
  read(user: SourceUser, context?: RequestContext): Promise<SourceAnswer>;

  /**
   * Calls back after every change, with the user it concerns; without one when it concerns many, or may have been missed.
   * Absent where the source announces no changes: its answers are then reused until they expire.
   */
  watch?(onChange: (user?: SourceUser) => void): Subscription;
}
