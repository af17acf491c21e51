import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { UserIds } from '../auth/user-ids.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { OpsAction } from '../http/ops-action.js';
import type { Page } from '../storage/page.js';
import {
  DatabaseMemberships,
  type MembershipFilter,
  type MembershipRecord,
} from './sources/database-memberships.js';
import { readMembershipCsv, type ImportedMembership } from './command/membership-csv.js';

/** What an import did, or would do. */
export interface ImportReport {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** A change of one membership, for its audit record. */
interface Change extends OpsAction {
  readonly action: 'membership.grant' | 'membership.revoke';
  /** `sub` of the user's token. */
  readonly user: string;
  readonly hirerId: string;
  readonly roles?: readonly string[];
}

/** Administration of memberships. Every change leaves an audit record, including one that failed. */
@Injectable()
export class HirerMemberships {
  constructor(
    private readonly memberships: DatabaseMemberships,
    private readonly userIds: UserIds,
    private readonly audit: AuditTrail,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  async list(filter: MembershipFilter): Promise<Page<MembershipRecord>> {
    return this.store().list(filter);
  }

  /** Makes the user a member with exactly these roles, starting with the user's next request. */
  async grant(
    user: string,
    hirerId: string,
    roles: readonly string[],
    by: OpsAction,
  ): Promise<MembershipRecord> {
    const store = this.store();
    const work = () => store.grant(user, hirerId, roles);
    return this.recorded({ action: 'membership.grant', user, hirerId, roles, ...by }, work);
  }

  /** Ends a membership, if there is one; the user's next request is refused. */
  async revoke(user: string, hirerId: string, by: OpsAction): Promise<void> {
    const store = this.store();
    const work = () => store.revoke(user, hirerId);
    await this.recorded({ action: 'membership.revoke', user, hirerId, ...by }, work);
  }

  /**
   * Grants every membership of a CSV file, or none. Each one that changes leaves an audit record; an import that fails
   * leaves one for the whole file.
   */
  async import(csv: string, dryRun: boolean, by: OpsAction): Promise<ImportReport> {
    const store = this.store();
    const memberships = readMembershipCsv(csv);
    const changed = await store.grantAll(memberships, dryRun).catch((error: unknown) => {
      if (!dryRun) this.recordFailedImport(memberships, toBffError(error), by);
      throw error;
    });
    if (!dryRun) for (const one of changed) this.record({ action: 'membership.grant', ...one, ...by }, 'ok');
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

  private record(change: Change, outcome: string): void {
    const user = this.userIds.of(this.memberships.issuer, change.user);
    this.audit.record({ ...change, time: this.now(), user, outcome });
  }

  private recordFailedImport(
    { length }: readonly ImportedMembership[],
    { code }: BffError,
    by: OpsAction,
  ): void {
    const subject = `${length} rows`;
    this.audit.record({ ...by, time: this.now(), action: 'membership.import', outcome: code, subject });
  }

  private async recorded<T>(change: Change, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.record(change, 'ok');
      return result;
    } catch (error) {
      this.record(change, toBffError(error).code);
      throw error;
    }
  }
}
