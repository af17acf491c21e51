import { ConfigError } from '../config/load-config.js';

/** Says which scopes the roles of a member may ask for (`ALLOWED_SCOPES`, `ROLE_SCOPES`). */
export class RoleScopes {
  private readonly all: readonly string[];
  private readonly byRole: ReadonlyMap<string, readonly string[]>;

  /**
   * @param roleScopes `role=scope scope; role=scope`
   * @throws ConfigError naming ROLE_SCOPES
   */
  constructor(allowedScopes: readonly string[], roleScopes: string | undefined) {
    this.all = sortedUnique(allowedScopes);
    this.byRole = parseRoleScopes(roleScopes ?? '', this.all);
  }

  /** The scopes open to any of the roles, sorted. A role that `ROLE_SCOPES` does not name may have all of them. */
  scopesFor(roles: readonly string[]): readonly string[] {
    if (roles.some((role) => !this.byRole.has(role))) return this.all;
    return sortedUnique(roles.flatMap((role) => this.byRole.get(role) ?? []));
  }
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
