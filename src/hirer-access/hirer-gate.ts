import type { EndUser } from '../auth/end-user.js';
import { BffError } from '../errors/bff-error.js';
import type { HirerAccess } from './hirer-access.js';
import type { RoleScopes } from './role-scopes.js';

/** What a member may do at a hirer. */
export interface HirerEntry {
  readonly roles: readonly string[];
  /** Sorted scopes that the roles may ask for. */
  readonly scopes: readonly string[];
}

/** The check that everything done for a hirer passes first (interface 5.3.2). */
export class HirerGate {
  constructor(
    private readonly access: HirerAccess,
    private readonly roleScopes: RoleScopes,
  ) {}

  /**
   * Lets a member in.
   * @throws BffError `hirer_forbidden`, the same for a hirer of others and for one that does not exist; `unavailable`
   *   when nobody can say
   */
  async enter(user: EndUser, hirerId: string): Promise<HirerEntry> {
    const membership = await this.access.find(user, hirerId);
    if (!membership) throw new BffError('hirer_forbidden');
    return { roles: membership.roles, scopes: this.roleScopes.scopesFor(membership.roles) };
  }
}
