import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import { HirerAccess, type Membership } from './hirer-access.js';
import { RoleScopes } from './roles/role-scopes.js';

/** The rights of a member at a hirer. */
export interface HirerEntry {
  readonly roles: readonly string[];
  /** Sorted scopes that the roles may ask for. */
  readonly scopes: readonly string[];
}

/** The check that everything done for a hirer passes first (interface 5.3.2). */
@Injectable()
export class HirerGate {
  private readonly machine: HirerEntry;

  constructor(
    private readonly access: HirerAccess,
    private readonly roleScopes: RoleScopes,
  ) {
    const roles = Object.freeze([MACHINE_ROLE]);
    this.machine = Object.freeze({ roles, scopes: roleScopes.scopesFor(roles) });
  }

  /**
   * Admits a member; synchronously when the membership is in memory. A machine is a member of every hirer, and no
   * membership of it is looked up.
   * @throws BffError `hirer_forbidden`, the same whether the hirer is someone else's or does not exist; `unavailable`
   *   when memberships cannot be read
   */
  enter(user: EndUser, hirerId: string, context?: RequestContext): HirerEntry | Promise<HirerEntry> {
    if (user.isMachine) return this.machine;
    const membership = this.access.find(user, hirerId, context);
    return membership instanceof Promise
      ? membership.then((known) => this.admit(known))
      : this.admit(membership);
  }

  /** The rights of a machine, which are the same at every hirer. */
  get machineEntry(): HirerEntry {
    return this.machine;
  }

  private admit(membership: Membership | undefined): HirerEntry {
    if (!membership) {
      const message = 'the subject has no membership of this hirer; a back end is listed in MACHINE_SUBJECTS';
      throw new BffError('hirer_forbidden', { message });
    }
    return { roles: membership.roles, scopes: this.roleScopes.scopesFor(membership.roles) };
  }
}
