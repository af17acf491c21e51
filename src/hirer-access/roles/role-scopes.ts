import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';

/** The role that may have every allowed scope unless `ROLE_SCOPES` names it. */
const MEMBER = 'member';

/** Which scopes the roles of a member may ask for (`ALLOWED_SCOPES`, `ROLE_SCOPES`). Roles are compared exactly. */
@Injectable()
export class RoleScopes {
  private readonly all: readonly string[];
  /** Undefined while `ROLE_SCOPES` is not set. */
  private readonly byRole: ReadonlyMap<string, readonly string[]> | undefined;
  private readonly named: readonly string[];

  constructor(
    @Inject(CONFIG) { ALLOWED_SCOPES, ROLE_SCOPES }: Pick<Config, 'ALLOWED_SCOPES' | 'ROLE_SCOPES'>,
  ) {
    this.all = sortedUnique(ALLOWED_SCOPES);
    this.named = [...(ROLE_SCOPES?.keys() ?? [])];
    const named = [...(ROLE_SCOPES ?? [])].map(([role, scopes]) => [role, sortedUnique(scopes)] as const);
    this.byRole = ROLE_SCOPES && new Map([[MEMBER, this.all], ...named]);
  }

  /** True if `ROLE_SCOPES` is set. */
  get isSet(): boolean {
    return this.byRole !== undefined;
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

  /** A sentence for each role in use that has no scope because `ROLE_SCOPES` does not name it, probably by mistake. */
  warningsFor(rolesInUse: Iterable<string>): readonly string[] {
    const { byRole } = this;
    if (!byRole) return [];
    const unnamed = [...new Set(rolesInUse)].filter((role) => !byRole.has(role)).sort();
    return unnamed.map((role) => {
      const near = [...byRole.keys()].find((known) => fold(known) === fold(role));
      return `"${role}" is not named and has no scope${near === undefined ? '' : `; did you mean "${near}"?`}`;
    });
  }

  /** A sentence for each name in `ROLE_SCOPES` that looks as if it narrows the role `member`, and does not. */
  get nearMisses(): readonly string[] {
    if (this.named.includes(MEMBER)) return [];
    return this.named
      .filter((role) => fold(role) === MEMBER)
      .map((role) => `"${role}" is named, but "${MEMBER}" is not and has every allowed scope`);
  }
}

/** Roles that differ only in case and punctuation look the same. */
function fold(role: string): string {
  return role.toLowerCase().replaceAll(/[\W_]/g, '');
}

function sortedUnique(items: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(items)].sort());
}
