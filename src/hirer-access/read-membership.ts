import type { Membership } from './hirer-access.js';
import { isHirerId } from './hirer-id.js';

/** The role of a member of whom no other is told. */
export const DEFAULT_ROLES: readonly string[] = Object.freeze(['member']);

/** Most roles of one member. */
export const ROLES_MAX = 20;

const ROLE = /^[\w.:-]{1,64}$/;

/** Whether a value is the name of a role: a word that can stand in a list separated by spaces. */
export function isRole(value: unknown): value is string {
  return typeof value === 'string' && ROLE.test(value);
}

/**
 * Reads a membership that someone else wrote: a hirer id, or `{hirerId, roles?}`; further members are ignored.
 * @throws Error for anything else
 */
export function readMembership(value: unknown): Membership {
  if (isHirerId(value)) return { hirerId: value, roles: DEFAULT_ROLES };
  const { hirerId, roles = DEFAULT_ROLES } = (value ?? {}) as { hirerId?: unknown; roles?: unknown };
  if (!isHirerId(hirerId)) throw new Error('a membership names no hirer');
  if (!Array.isArray(roles) || roles.length > ROLES_MAX || !roles.every(isRole)) {
    throw new Error('the roles of a membership are no list of names');
  }
  return { hirerId, roles };
}
