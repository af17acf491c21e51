import { Inject, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { DependencyClients } from '../http/outgoing/dependency-client.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { HirerAccess } from './hirer-access.js';
import { HirerGate } from './hirer-gate.js';
import { MembershipCache } from './membership-cache.js';
import { MembershipsController } from './memberships.controller.js';
import { MembershipsService } from './memberships.service.js';
import { RoleScopes } from './role-scopes.js';
import { ClaimMemberships } from './sources/claim-memberships.js';
import { HttpMemberships } from './sources/http-memberships.js';
import { MembershipSource } from './sources/membership-source.port.js';
import { SqlMemberships } from './sources/sql-memberships.js';

/** Most connections to a membership service. */
const CONNECTIONS_MAX = 16;

/**
 * Hirer access: who belongs to which hirer, and which scopes the roles there allow (interface 5.3.2). Its public
 * interface is {@link HirerGate}, which everything done for a hirer passes on every request. No membership means a
 * refusal, and so does a source that fails; a change made on the ops routes is in force for the very next request.
 */
@Module({
  imports: [AuthModule],
  controllers: [MembershipsController],
  providers: [
    SqlMemberships,
    {
      provide: MembershipSource,
      inject: [CONFIG, SqlMemberships, Secrets, DependencyClients, Conditions],
      useFactory: openSource,
    },
    {
      provide: HirerAccess,
      inject: [CONFIG, { token: MembershipSource, optional: true }, RoleScopes],
      useFactory: openAccess,
    },
    RoleScopes,
    HirerGate,
    MembershipsService,
  ],
  exports: [HirerAccess, HirerGate, RoleScopes, MembershipsService, SqlMemberships],
})
export class HirerAccessModule {
  constructor(@Inject(CONFIG) config: Pick<Config, 'HIRER_ACCESS'>, health: Health, conditions: Conditions) {
    if (config.HIRER_ACCESS !== 'http') return;
    health.register('membership-service', () => conditions.checkOf('memberships-failing'));
  }
}

/** Where memberships are kept, by `HIRER_ACCESS`; undefined where the token itself states them. */
function openSource(
  { HIRER_ACCESS, HIRER_ACCESS_URL }: Pick<Config, 'HIRER_ACCESS' | 'HIRER_ACCESS_URL'>,
  database: SqlMemberships,
  secrets: Secrets,
  clients: DependencyClients,
  conditions: Conditions,
): MembershipSource | undefined {
  if (HIRER_ACCESS !== 'http') return HIRER_ACCESS === 'database' ? database : undefined;
  const url = HIRER_ACCESS_URL!;
  const client = clients.open('membership-service', url, CONNECTIONS_MAX);
  const calls = conditions.calls('memberships-failing', 'membership-service');
  return new HttpMemberships(url, client, () => secrets.current.HIRER_ACCESS_SECRET, calls);
}

function openAccess(
  { HIRER_ACCESS_CLAIM }: Pick<Config, 'HIRER_ACCESS_CLAIM'>,
  source: MembershipSource | undefined,
  roleScopes: RoleScopes,
): HirerAccess {
  return source
    ? new MembershipCache(source, roleScopes)
    : new ClaimMemberships(HIRER_ACCESS_CLAIM, roleScopes);
}
