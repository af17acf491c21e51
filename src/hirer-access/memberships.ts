import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { UserIds } from '../auth/user-ids.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Operator } from '../http/operator.js';
import type { Page } from '../storage/page.js';
import {
  DatabaseMemberships,
  type MembershipFilter,
  type MembershipRecord,
} from './sources/database-memberships.js';
import { readMembershipCsv, type ImportedMembership } from './command/membership-csv.js';

/** The changes of an import, made or only reported. */
export interface ImportReport {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** Administration of memberships. Every change leaves an audit record, including one that failed. */
@Injectable()
export class HirerMemberships {
  constructor(
    private readonly memberships: DatabaseMemberships,
    private readonly userIds: UserIds,
    private readonly audit: OpsAudit,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
  ) {}

  async list(filter: MembershipFilter): Promise<Page<MembershipRecord>> {
    return this.store().list(filter);
  }

  /** Makes the user a member with exactly these roles, starting with the user's next request. */
  async grant(
    user: string,
    hirerId: string,
    roles: readonly string[],
    by: Operator,
  ): Promise<MembershipRecord> {
    const store = this.store();
    return this.audit.perform(this.grantOf({ user, hirerId, roles }), by, () =>
      store.grant(user, hirerId, roles),
    );
  }

  /** Ends a membership, if there is one; the user's next request is refused. */
  async revoke(user: string, hirerId: string, by: Operator): Promise<void> {
    const store = this.store();
    const action = { action: 'membership.revoke', user: this.pseudonymOf(user), hirerId };
    await this.audit.perform(action, by, () => store.revoke(user, hirerId));
  }

  /**
   * Grants every membership of a CSV file, or none. Each one that changes leaves an audit record; an import that fails
   * leaves one for the whole file.
   */
  async import(csv: string, dryRun: boolean, by: Operator): Promise<ImportReport> {
    const store = this.store();
    const memberships = readMembershipCsv(csv);
    const work = (): Promise<ImportedMembership[]> => store.grantAll(memberships, dryRun);
    const action = { action: 'membership.import', subject: `${memberships.length} rows` };
    const granted = (all: readonly ImportedMembership[]) => all.map((one) => this.grantOf(one));
    const changed = await (dryRun ? work() : this.audit.perform(action, by, work, granted));
    return {
      dryRun,
      rows: memberships.length,
      changed: changed.length,
      unchanged: memberships.length - changed.length,
    };
  }

  private store(): DatabaseMemberships {
    if (this.config.HIRER_ACCESS === 'database') return this.memberships;
    throw new BffError('not_found', {
      detail:
        'Memberships are not kept by this service: HIRER_ACCESS names another source. Change them there.',
    });
  }

  private grantOf({ user, hirerId, roles }: ImportedMembership): OpsAction {
    return { action: 'membership.grant', user: this.pseudonymOf(user), hirerId, roles };
  }

  /** @param subject `sub` of the user's token */
  private pseudonymOf(subject: string): string {
    return this.userIds.of(this.memberships.issuer, subject);
  }
}
