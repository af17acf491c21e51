import type { UserIds } from '../auth/user-ids.js';
import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { Page } from '../storage/page.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { OpsAction } from '../http/ops-action.js';
import { readMembershipCsv } from './membership-csv.js';
import type { DatabaseMemberships, MembershipFilter, MembershipRecord } from './database-memberships.js';

/** Administration of memberships. Each change leaves an audit record, that of a change that failed included. */
export class HirerMemberships {
  /** @param store undefined when memberships are kept elsewhere (`HIRER_ACCESS`) */
  constructor(
    private readonly store: DatabaseMemberships | undefined,
    private readonly userIds: UserIds,
    private readonly audit: AuditTrail,
    private readonly now: () => number = Date.now,
  ) {}

  async list(filter: MembershipFilter): Promise<Page<MembershipRecord>> {
    const store = this.kept();
    return reach(() => store.list(filter));
  }

  /** Makes the user a member with exactly these roles; the user's next request finds it so. */
  async grant(
    user: string,
    hirerId: string,
    roles: readonly string[],
    by: OpsAction,
  ): Promise<MembershipRecord> {
    const store = this.kept();
    return this.recorded({ action: 'membership.grant', user, hirerId, roles, ...by }, () =>
      store.grant(user, hirerId, roles),
    );
  }

  /** Grants every membership of a CSV file, or none; each that changes leaves an audit record. */
  async import(csv: string, dryRun: boolean, by: OpsAction): Promise<ImportReport> {
    const store = this.kept();
    const memberships = readMembershipCsv(csv);
    const changed = await store.grantAll(memberships, dryRun);
    if (!dryRun) {
      for (const { user, hirerId, roles } of changed) {
        this.record({ action: 'membership.grant', user, hirerId, roles, ...by }, 'ok');
      }
    }
    return {
      dryRun,
      rows: memberships.length,
      changed: changed.length,
      unchanged: memberships.length - changed.length,
    };
  }

  /** Ends a membership, if there is one; the user's next request is refused. */
  async revoke(user: string, hirerId: string, by: OpsAction): Promise<void> {
    const store = this.kept();
    await this.recorded({ action: 'membership.revoke', user, hirerId, ...by }, () =>
      store.revoke(user, hirerId),
    );
  }

  private kept(): DatabaseMemberships {
    if (this.store) return this.store;
    throw new BffError('not_found', {
      detail:
        'Memberships are not kept by this service: HIRER_ACCESS names another source. Change them there.',
    });
  }

  private record(change: Change, outcome: string): void {
    const user = this.userIds.of(this.kept().issuer, change.user);
    this.audit.record({ ...change, time: this.now(), user, outcome });
  }

  private async recorded<T>(change: Change, work: () => Promise<T>): Promise<T> {
    try {
      const result = await reach(work);
      this.record(change, 'ok');
      return result;
    } catch (error) {
      this.record(change, toBffError(error).code);
      throw error;
    }
  }
}

/** A store that fails is out of reach for the moment; the caller may try again. */
async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new BffError('unavailable', { message: 'the membership store failed', cause: error });
  }
}

/** What an import did, or would do. */
export interface ImportReport {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly changed: number;
  readonly unchanged: number;
}

interface Change extends OpsAction {
  readonly action: 'membership.grant' | 'membership.revoke';
  /** `sub` of the user's token. */
  readonly user: string;
  readonly hirerId: string;
  readonly roles?: readonly string[];
}
