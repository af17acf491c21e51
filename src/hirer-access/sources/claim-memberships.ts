import type { EndUser } from '../../http/end-user.js';
import { memberAt } from '../../json/member-at.js';
import type { HirerAccess, Memberships } from '../hirer-access.port.js';
import { readMembership } from '../membership.js';
import type { RoleScopes } from '../role-scopes.js';

const MEMBERSHIPS_MAX = 100;
const NONE: Memberships = new Map();

/**
 * Memberships stated by a claim of the end user's token. They last as long as the token: keep its lifetime short, since
 * they cannot be revoked here. A claim that is absent, too long or malformed in any part gives no membership at all.
 */
export class ClaimMemberships implements HirerAccess {
  /** @param claim `HIRER_ACCESS_CLAIM` */
  constructor(
    private readonly claim: string,
    private readonly roleScopes: RoleScopes,
  ) {}

  list(user: EndUser): Memberships {
    const claim = memberAt(user.claims, this.claim);
    if (!Array.isArray(claim) || claim.length > MEMBERSHIPS_MAX) return NONE;
    try {
      return this.roleScopes.membershipsOf(claim.map(readMembership));
    } catch {
      return NONE;
    }
  }
}
