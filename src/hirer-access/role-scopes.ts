import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { MACHINE_ROLE } from '../http/end-user.js';
import type { Memberships } from './hirer-access.port.js';
import type { StatedMembership } from './membership.js';

/** The role that may have every allowed scope unless `ROLE_SCOPES` names it. */
const MEMBER = 'member';

/** Which scopes the roles of a member may ask for (`ALLOWED_SCOPES`, `ROLE_SCOPES`). Roles are compared exactly. */
@Injectable()
export class RoleScopes {
  private readonly all: readonly string[];
  /** Undefined while `ROLE_SCOPES` is not set. */
  private readonly byRole: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(
    @Inject(CONFIG) { ALLOWED_SCOPES, ROLE_SCOPES }: Pick<Config, 'ALLOWED_SCOPES' | 'ROLE_SCOPES'>,
  ) {
    this.all = sortedUnique(ALLOWED_SCOPES);
    const named = [...(ROLE_SCOPES ?? [])].map(([role, scopes]) => [role, sortedUnique(scopes)] as const);
    this.byRole = ROLE_SCOPES && new Map([[MEMBER, this.all], ...named]);
  }

  /**
   * The scopes that any of the roles allows, sorted. Without `ROLE_SCOPES` every role allows all of them; with it, a
   * role that it does not name allows none, except `member`.
   */
  scopesFor(roles: readonly string[]): readonly string[] {
    const { byRole } = this;
    if (!byRole) return roles.length > 0 ? this.all : [];
    if (roles.length === 1) return byRole.get(roles[0]!) ?? [];
    return sortedUnique(roles.flatMap((role) => byRole.get(role) ?? []));
  }

  /**
   * The memberships that a user has, whatever states them: without the reserved role of machines, and without those that
   * name no other. Of two at one hirer the first counts.
   */
  membershipsOf(stated: readonly StatedMembership[]): Memberships {
    const held = stated.flatMap(({ hirerId, roles: given }) => {
      const roles = given.filter((role) => role !== MACHINE_ROLE);
      return roles.length === 0 && given.length > 0
        ? []
        : [{ hirerId, roles, scopes: this.scopesFor(roles) }];
    });
    const byHirer = new Map(held.reverse().map((one) => [one.hirerId, one]));
    return new Map([...byHirer].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function sortedUnique(items: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(items)].sort());
}
