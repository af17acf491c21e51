import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HttpClient, type ClientSettings } from '../http/outgoing/http-client.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { HirerAccess } from './hirer-access.port.js';
import { MembershipGate } from './membership-gate.js';
import { MembershipCache } from './membership-cache.js';
import { MembershipsController } from './memberships.controller.js';
import { MembershipsService } from './memberships.service.js';
import { RoleScopes } from './role-scopes.js';
import { ClaimMemberships } from './sources/claim-memberships.js';
import { HttpMemberships } from './sources/http-memberships.js';
import { SqlMemberships } from './sources/sql-memberships.js';

/** Most connections to a membership service. */
const CONNECTIONS_MAX = 16;

/**
 * Hirer access: who belongs to which hirer, and which scopes the roles there allow (interface 5.3.2). Its public
 * interface is {@link MembershipGate}, which everything done for a hirer passes on every request. No membership means a
 * refusal, and so does a source that fails; a change made on the ops routes is in force for the very next request.
 */
@Module({
  imports: [AuthModule],
  controllers: [MembershipsController],
  providers: [
    SqlMemberships,
    {
      provide: HirerAccess,
      inject: [CONFIG, RoleScopes, SqlMemberships, Secrets, Conditions, Health],
      useFactory: openAccess,
    },
    RoleScopes,
    MembershipGate,
    MembershipsService,
  ],
  exports: [HirerAccess, MembershipGate, RoleScopes, MembershipsService, SqlMemberships],
})
export class HirerAccessModule {}

/** Who belongs to which hirer, by `HIRER_ACCESS`: as the database, the token itself or a service states it. */
function openAccess(
  config: ClientSettings & Pick<Config, 'HIRER_ACCESS' | 'HIRER_ACCESS_URL' | 'HIRER_ACCESS_CLAIM'>,
  roleScopes: RoleScopes,
  database: SqlMemberships,
  secrets: Secrets,
  conditions: Conditions,
  health: Health,
): HirerAccess {
  if (config.HIRER_ACCESS === 'database') return new MembershipCache(database, roleScopes);
  if (config.HIRER_ACCESS === 'claim') return new ClaimMemberships(config.HIRER_ACCESS_CLAIM, roleScopes);
  const url = config.HIRER_ACCESS_URL!;
  const client = new HttpClient('membership-service', url, config, { connectionsMax: CONNECTIONS_MAX });
  const calls = conditions.calls('memberships-failing', 'membership-service');
  health.register('membership-service', () => conditions.checkOf('memberships-failing'));
  const service = new HttpMemberships(url, client, () => secrets.current.HIRER_ACCESS_SECRET, calls);
  return new MembershipCache(service, roleScopes);
}
