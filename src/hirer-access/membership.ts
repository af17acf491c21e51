import { isHirerId, MACHINE_ROLE } from '../http/end-user.js';

/** The roles of a member when none are given. */
export const DEFAULT_ROLES: readonly string[] = Object.freeze(['member']);

/** Maximum number of roles of one member. */
export const ROLES_MAX = 20;

const WRITTEN_HIRER_ID = /^[^\s:]+(:[^\s:]+)+$/;
const ROLE = /^[\w.:-]{1,64}$/;

/** A membership as a store, a service or a claim states it. */
export interface StatedMembership {
  readonly hirerId: string;
  readonly roles: readonly string[];
}

/**
 * True if a value also has the form of an object identifier: parts delimited by colons, a scheme first (interface 2.5).
 * Asked of ids that people write by hand, where a name or a part of an id would grant nothing and go unnoticed.
 */
export function isWrittenHirerId(value: unknown): value is string {
  return isHirerId(value) && WRITTEN_HIRER_ID.test(value);
}

/** True if a value is the name of a role: a word that fits in a list separated by spaces. */
export function isRole(value: unknown): value is string {
  return typeof value === 'string' && ROLE.test(value);
}

/** True if an administrator may give a role: any but the reserved one. */
export function isGrantableRole(value: unknown): value is string {
  return isRole(value) && value !== MACHINE_ROLE;
}

/**
 * Reads a membership from a claim or a service: a hirer id, or `{hirerId, roles?}`; other members are ignored.
 * @throws Error for anything else
 */
export function readMembership(value: unknown): StatedMembership {
  if (isHirerId(value)) return { hirerId: value, roles: DEFAULT_ROLES };
  const { hirerId, roles = DEFAULT_ROLES } = (value ?? {}) as { hirerId?: unknown; roles?: unknown };
  if (!isHirerId(hirerId)) throw new Error('a membership has no valid hirerId');
  if (!Array.isArray(roles) || roles.length > ROLES_MAX || !roles.every(isRole)) {
    throw new Error('the roles of a membership are not a list of names');
  }
  return { hirerId, roles };
}
