import { Inject, Injectable } from '@nestjs/common';
import type { EndUser } from '../http/end-user.js';
import { BffError } from '../errors/bff-error.js';
import { HirerAccess, type Membership } from './hirer-access.js';
import { RoleScopes } from './role-scopes.js';

/** What a member may do at a hirer. */
export interface HirerEntry {
  readonly roles: readonly string[];
  /** Sorted scopes that the roles may ask for. */
  readonly scopes: readonly string[];
}

/** The check that everything done for a hirer passes first (interface 5.3.2). */
@Injectable()
export class HirerGate {
  constructor(
    @Inject(HirerAccess) private readonly access: HirerAccess,
    private readonly roleScopes: RoleScopes,
  ) {}

  /**
   * Lets a member in; at once, without a promise, when the membership is known.
   * @throws BffError `hirer_forbidden`, the same for a hirer of others and for one that does not exist; `unavailable`
   *   when nobody can say
   */
  enter(user: EndUser, hirerId: string): HirerEntry | Promise<HirerEntry> {
    const membership = this.access.find(user, hirerId);
    return membership instanceof Promise
      ? membership.then((known) => this.admit(known))
      : this.admit(membership);
  }

  private admit(membership: Membership | undefined): HirerEntry {
    if (!membership) throw new BffError('hirer_forbidden');
    return { roles: membership.roles, scopes: this.roleScopes.scopesFor(membership.roles) };
  }
}
