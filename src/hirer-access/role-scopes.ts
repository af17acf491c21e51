import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, ConfigError, type Config } from '../config/load-config.js';

/** The role that may have every allowed scope unless `ROLE_SCOPES` names it (contract, Ops routes). */
const MEMBER = 'member';

/** Which scopes the roles of a member may ask for (`ALLOWED_SCOPES`, `ROLE_SCOPES`). Roles are compared exactly. */
@Injectable()
export class RoleScopes {
  private readonly all: readonly string[];
  /** Undefined while `ROLE_SCOPES` is not set. */
  private readonly byRole: ReadonlyMap<string, readonly string[]> | undefined;
  private readonly named: readonly string[];

  /**
   * `ROLE_SCOPES` is written as `role=scope scope; role=scope`.
   * @throws ConfigError naming ROLE_SCOPES
   */
  constructor(
    @Inject(CONFIG) { ALLOWED_SCOPES, ROLE_SCOPES }: Pick<Config, 'ALLOWED_SCOPES' | 'ROLE_SCOPES'>,
  ) {
    this.all = sortedUnique(ALLOWED_SCOPES);
    const named = ROLE_SCOPES === undefined ? undefined : parseRoleScopes(ROLE_SCOPES, this.all);
    this.named = [...(named?.keys() ?? [])];
    this.byRole = named && new Map([[MEMBER, this.all], ...named]);
  }

  /** Whether `ROLE_SCOPES` is set. */
  get isSet(): boolean {
    return this.byRole !== undefined;
  }

  /**
   * The scopes that any of the roles allows, sorted. Without `ROLE_SCOPES` every role allows all of them; with it, a role
   * that it does not name allows none, except `member`.
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

function parseRoleScopes(text: string, allowed: readonly string[]): Map<string, readonly string[]> {
  const byRole = new Map<string, readonly string[]>();
  const faults: string[] = [];
  const entries = text.split(';').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    if (entry === '') continue;
    const [, role, list] = /^([\w.:-]{1,64})\s*=(.*)$/s.exec(entry) ?? [];
    if (role === undefined || list === undefined) {
      faults.push(`ROLE_SCOPES entry ${index + 1} must be written as role=scope scope`);
      continue;
    }
    const scopes = sortedUnique(list.split(/\s+/).filter((scope) => scope !== ''));
    if (byRole.has(role)) faults.push(`ROLE_SCOPES entry ${index + 1} names a role for the second time`);
    if (scopes.some((scope) => !allowed.includes(scope))) {
      faults.push(`ROLE_SCOPES entry ${index + 1} holds a scope that is not in ALLOWED_SCOPES`);
    }
    byRole.set(role, scopes);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return byRole;
}

function sortedUnique(items: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(items)].sort());
}
