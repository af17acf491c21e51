import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { DatabaseMemberships } from '../sources/database-memberships.js';
import { RoleScopes } from './role-scopes.js';

/**
 * Warns at start of roles without scopes; it decides about nobody (`RoleScopes` does). A store that cannot be read does not
 * hold up the start.
 */
@Injectable()
export class RoleWarnings implements OnApplicationBootstrap {
  constructor(
    private readonly roleScopes: RoleScopes,
    private readonly memberships: DatabaseMemberships,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { roleScopes, memberships, config, log } = this;
    logRoleWarnings(log, 'ROLE_SCOPES', roleScopes.nearMisses);
    if (config.HIRER_ACCESS !== 'database' || !roleScopes.isSet) return;
    try {
      logRoleWarnings(log, 'memberships', roleScopes.warningsFor(await memberships.rolesInUse()));
    } catch (error) {
      log.warn({ err: error }, 'the roles of memberships cannot be read');
    }
  }
}

/**
 * Logs the warnings of `RoleScopes`, if there are any.
 * @param source where the roles are used
 */
export function logRoleWarnings(log: Log, source: string, warnings: readonly string[]): void {
  if (warnings.length > 0) log.warn({ source, warnings }, 'roles do not match ROLE_SCOPES');
}
