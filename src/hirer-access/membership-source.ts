import type { EndUser } from '../http/end-user.js';
import type { Subscription } from '../storage/database.js';
import type { Membership } from './hirer-access.js';

/** What a source said. */
export interface SourceAnswer {
  /** By hirer id. */
  readonly memberships: readonly Membership[];
  /** How long the source lets its answer be believed, in milliseconds; it can only shorten our own bounds. */
  readonly maxAgeMs?: number;
}

/** The port: a place that knows memberships and takes time to ask. {@link CachedHirerAccess} stands in front. */
export interface MembershipSource {
  /**
   * The user's memberships, or only the one of `hirerId` when it is given.
   * @throws Error when the source cannot say
   */
  read(user: EndUser, hirerId?: string): Promise<SourceAnswer>;

  /**
   * Calls back after every change, and whenever one may have been missed. Absent where the source tells of none: then
   * an answer is believed for its time.
   */
  watch?(onChange: () => void): Subscription;
}
