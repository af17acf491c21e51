import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { UserIds } from '../auth/user-ids.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { type Log, LOG } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Database } from '../storage/database.js';
import { CachedHirerAccess } from './cached-hirer-access.js';
import { ClaimHirerAccess } from './claim-hirer-access.js';
import { DatabaseMemberships } from './database-memberships.js';
import { HirerAccess } from './hirer-access.js';
import { HirerGate } from './hirer-gate.js';
import { HttpMemberships } from './http-memberships.js';
import { HirerMemberships } from './memberships.js';
import { RoleScopes } from './role-scopes.js';
import { logRoleWarnings } from './role-warnings.js';

/** Where memberships are known, as `HIRER_ACCESS` says. */
const MEMBERSHIP_ORIGIN = Symbol('MEMBERSHIP_ORIGIN');

type MembershipOrigin = DatabaseMemberships | HttpMemberships | ClaimHirerAccess;

/**
 * Hirer access: who belongs to which hirer, and what scopes the roles there open (interface 5.3.2). Its public interface is
 * {@link HirerGate}, which everything done for a hirer passes on every request. No membership found is a refusal, and so
 * is a source that cannot say; a change made on the ops routes is in force for the very next request.
 */
@Module({
  imports: [AuthModule],
  providers: [
    { provide: MEMBERSHIP_ORIGIN, inject: [CONFIG, Database, Secrets], useFactory: openOrigin },
    {
      provide: HirerAccess,
      inject: [MEMBERSHIP_ORIGIN, Metrics],
      useFactory: openAccess,
    },
    {
      provide: RoleScopes,
      inject: [CONFIG],
      useFactory: ({ ALLOWED_SCOPES, ROLE_SCOPES }: Config) => new RoleScopes(ALLOWED_SCOPES, ROLE_SCOPES),
    },
    HirerGate,
    {
      provide: HirerMemberships,
      inject: [MEMBERSHIP_ORIGIN, UserIds, AuditTrail],
      useFactory: (origin: MembershipOrigin, userIds: UserIds, audit: AuditTrail) =>
        new HirerMemberships(origin instanceof DatabaseMemberships ? origin : undefined, userIds, audit),
    },
  ],
  exports: [HirerAccess, HirerGate, RoleScopes, HirerMemberships],
})
export class HirerAccessModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(MEMBERSHIP_ORIGIN) private readonly origin: MembershipOrigin,
    @Inject(RoleScopes) private readonly roleScopes: RoleScopes,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Warns of roles without scopes; a store that cannot tell its roles does not hold up the start. */
  async onApplicationBootstrap(): Promise<void> {
    const { origin, roleScopes, log } = this;
    logRoleWarnings(log, 'ROLE_SCOPES', roleScopes.nearMisses);
    if (!(origin instanceof DatabaseMemberships) || !roleScopes.isSet) return;
    try {
      logRoleWarnings(log, 'memberships', roleScopes.warningsFor(await origin.rolesInUse()));
    } catch (error) {
      log.warn({ err: error }, 'the roles of memberships cannot be read');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.origin instanceof HttpMemberships) await this.origin.close();
  }
}

function openAccess(origin: MembershipOrigin, metrics: Metrics): HirerAccess {
  if (origin instanceof ClaimHirerAccess) return origin;
  const cached = new CachedHirerAccess(origin);
  metrics.cache('memberships', cached);
  return cached;
}

function openOrigin(config: Config, database: Database, secrets: Secrets): MembershipOrigin {
  switch (config.HIRER_ACCESS) {
    case 'database':
      return new DatabaseMemberships(database, config.END_USER_ISSUER ?? '');
    case 'claim':
      return new ClaimHirerAccess(config.HIRER_ACCESS_CLAIM);
    case 'http':
      return new HttpMemberships(config.HIRER_ACCESS_URL!, () => secrets.current.HIRER_ACCESS_SECRET);
    default:
      return config.HIRER_ACCESS satisfies never;
  }
}
