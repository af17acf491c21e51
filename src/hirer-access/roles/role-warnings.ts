import type { Log } from '../../telemetry/log.js';

/**
 * Logs the warnings of `RoleScopes`, if there are any.
 * @param source where the roles are used
 */
export function logRoleWarnings(log: Log, source: string, warnings: readonly string[]): void {
  if (warnings.length > 0) log.warn({ source, warnings }, 'roles do not match ROLE_SCOPES');
}
