import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { UserIds } from '../auth/user-ids.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Operator } from '../http/operator.js';
import type { Page } from '../storage/lists/page.js';
import {
  SqlMemberships,
  type MembershipFilter,
  type MembershipKey,
  type MembershipRecord,
  type UserMembership,
} from './sources/sql-memberships.js';

/**
 * Administration of memberships: of the users of `END_USER_ISSUER`'s first issuer, or of the one that is named. Every
 * change leaves an audit record, including one that failed, and is in force for the user's next request.
 */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly memberships: SqlMemberships,
    private readonly userIds: UserIds,
    private readonly audit: OpsAudit,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
  ) {}

  async list(filter: MembershipFilter, named?: string): Promise<Page<MembershipRecord>> {
    return this.memberships.list(this.keptFor(named), filter);
  }

  /** Makes the user a member with exactly these roles. */
  async grant(membership: UserMembership, by: Operator, named?: string): Promise<MembershipRecord> {
    const issuer = this.keptFor(named);
    const action = { ...this.actionOf('grant', issuer, membership), roles: membership.roles };
    return this.audit.perform(action, by, () => this.memberships.grant(issuer, membership));
  }

  /** Ends a membership, if there is one. */
  async revoke(membership: MembershipKey, by: Operator, named?: string): Promise<void> {
    const issuer = this.keptFor(named);
    const action = this.actionOf('revoke', issuer, membership);
    await this.audit.perform(action, by, () => this.memberships.revoke(issuer, membership));
  }

  /** The issuer that is meant, where memberships are kept here. @throws BffError `not_found` where they are not */
  private keptFor(named: string | undefined): string {
    if (this.config.HIRER_ACCESS === 'database') return this.userIds.issuerOf(named);
    throw new BffError('not_found', {
      detail:
        'This service does not store memberships, because HIRER_ACCESS names another source. Change them there.',
    });
  }

  private actionOf(what: 'grant' | 'revoke', issuer: string, { user, hirerId }: MembershipKey): OpsAction {
    return { action: `membership.${what}`, user: this.userIds.of(issuer, user), hirerId };
  }
}
