import type { Log } from '../telemetry/log.js';

/**
 * Logs what `RoleScopes` found wrong with roles, if anything.
 * @param source where the roles stand
 */
export function logRoleWarnings(log: Log, source: string, warnings: readonly string[]): void {
  if (warnings.length > 0) log.warn({ source, warnings }, 'roles do not match ROLE_SCOPES');
}
