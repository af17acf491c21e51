import { MACHINE_ROLE } from '../../http/end-user.js';
import type { Membership } from '../hirer-access.js';
import { isHirerId } from '../hirer-id.js';

/** The roles of a member when none are given. */
export const DEFAULT_ROLES: readonly string[] = Object.freeze(['member']);

/** Maximum number of roles of one member. */
export const ROLES_MAX = 20;

const ROLE = /^[\w.:-]{1,64}$/;

/** True if a value is the name of a role: a word that fits in a list separated by spaces. */
export function isRole(value: unknown): value is string {
  return typeof value === 'string' && ROLE.test(value);
}

/** True if an administrator may give a role: any but the reserved one. */
export function isGrantableRole(value: unknown): value is string {
  return isRole(value) && value !== MACHINE_ROLE;
}

/**
 * The memberships that users have, whatever a store, service or claim says: the reserved role is left out, and so is a
 * membership that names no other.
 */
export function withoutReservedRole(memberships: readonly Membership[]): readonly Membership[] {
  if (!memberships.some(({ roles }) => roles.includes(MACHINE_ROLE))) return memberships;
  return memberships.flatMap((membership) => {
    const { hirerId, roles } = membership;
    if (!roles.includes(MACHINE_ROLE)) return [membership];
    const left = roles.filter((role) => role !== MACHINE_ROLE);
    return left.length > 0 ? [{ hirerId, roles: left }] : [];
  });
}

/**
 * Reads a membership from a claim or a service: a hirer id, or `{hirerId, roles?}`; other members are ignored.
 * @throws Error for anything else
 */
export function readMembership(value: unknown): Membership {
  if (isHirerId(value)) return { hirerId: value, roles: DEFAULT_ROLES };
  const { hirerId, roles = DEFAULT_ROLES } = (value ?? {}) as { hirerId?: unknown; roles?: unknown };
  if (!isHirerId(hirerId)) throw new Error('a membership has no valid hirerId');
  if (!Array.isArray(roles) || roles.length > ROLES_MAX || !roles.every(isRole)) {
    throw new Error('the roles of a membership are not a list of names');
  }
  return { hirerId, roles };
}
