import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import { HirerAccess, type Membership, type Memberships } from './hirer-access.port.js';
import { RoleScopes } from './role-scopes.js';

/** The rights of a member at a hirer. */
export type GateEntry = Pick<Membership, 'roles' | 'scopes'>;

/**
 * The check that everything done for a hirer passes first (interface 5.3.2): the one place that decides membership. After
 * a wait for the upstream it is passed again, before anything is given out.
 */
@Injectable()
export class MembershipGate {
  /** The rights of a machine, which are the same at every hirer. */
  readonly machineEntry: GateEntry;

  constructor(
    private readonly access: HirerAccess,
    roleScopes: RoleScopes,
  ) {
    const roles = Object.freeze([MACHINE_ROLE]);
    this.machineEntry = Object.freeze({ roles, scopes: roleScopes.scopesFor(roles) });
  }

  /**
   * Admits a member; synchronously when the membership is in memory. A machine is a member of every hirer, and no
   * membership of it is looked up.
   * @throws BffError `hirer_forbidden`, the same whether the hirer is someone else's or does not exist; `unavailable`
   *   when memberships cannot be read
   */
  enter(user: EndUser, hirerId: string, context?: RequestContext): GateEntry | Promise<GateEntry> {
    if (user.isMachine) return this.machineEntry;
    const list = this.access.list(user, context);
    return list instanceof Promise ? list.then((late) => admit(late, hirerId)) : admit(list, hirerId);
  }

  /** The memberships of a user; none of a machine, which belongs to every hirer. */
  async hirersOf(user: EndUser, context: RequestContext): Promise<readonly Membership[]> {
    return user.isMachine ? [] : [...(await this.access.list(user, context)).values()];
  }
}

function admit(list: Memberships, hirerId: string): Membership {
  const membership = list.get(hirerId);
  if (membership) return membership;
  const message = 'the subject has no membership of this hirer; a back end is listed in MACHINE_SUBJECTS';
  throw new BffError('hirer_forbidden', { message });
}
