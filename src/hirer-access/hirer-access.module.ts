import { Inject, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { DependencyClients } from '../http/outgoing/dependency-client.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { Metrics } from '../telemetry/metrics.js';
import { DatabaseMemberships } from './sources/database-memberships.js';
import { HirerAccess } from './hirer-access.js';
import { HirerGate } from './hirer-gate.js';
import { MembershipSource } from './sources/membership-source.js';
import { HirerMemberships } from './memberships.js';
import { MembershipsController } from './memberships.ops.controller.js';
import { openHirerAccess, openMembershipSource } from './sources/open-hirer-access.js';
import { RoleScopes } from './roles/role-scopes.js';
import { RoleWarnings } from './roles/role-warnings.js';

/**
 * Hirer access: who belongs to which hirer, and which scopes the roles there allow (interface 5.3.2). Its public
 * interface is {@link HirerGate}, which everything done for a hirer passes on every request. No membership means a
 * refusal, and so does a source that fails; a change made on the ops routes is in force for the very next request.
 */
@Module({
  imports: [AuthModule],
  controllers: [MembershipsController],
  providers: [
    DatabaseMemberships,
    {
      provide: MembershipSource,
      inject: [CONFIG, DatabaseMemberships, Secrets, DependencyClients, Conditions],
      useFactory: openMembershipSource,
    },
    {
      provide: HirerAccess,
      inject: [CONFIG, { token: MembershipSource, optional: true }, Metrics],
      useFactory: openHirerAccess,
    },
    RoleScopes,
    RoleWarnings,
    HirerGate,
    HirerMemberships,
  ],
  exports: [HirerAccess, HirerGate, RoleScopes, HirerMemberships, DatabaseMemberships],
})
export class HirerAccessModule {
  constructor(@Inject(CONFIG) config: Pick<Config, 'HIRER_ACCESS'>, health: Health, conditions: Conditions) {
    if (config.HIRER_ACCESS !== 'http') return;
    health.register('membership-service', () => conditions.checkOf('memberships-failing'));
  }
}
