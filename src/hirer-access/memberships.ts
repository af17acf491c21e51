import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { UserIds } from '../auth/user-ids.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Operator } from '../http/operator.js';
import type { Page } from '../storage/lists/page.js';
import { DatabaseMemberships } from './sources/database-memberships.js';
import type {
  ImportChanges,
  ImportMode,
  IssuerMemberships,
  MembershipFilter,
  MembershipKey,
  MembershipRecord,
} from './sources/issuer-memberships.js';
import { readMembershipCsv, type ImportedMembership } from './membership-csv.js';

/** The changes of an import, made or only reported. */
export interface ImportReport {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Memberships that were not in the file and ended. */
  readonly removed: number;
}

/**
 * Administration of memberships: of the users of `END_USER_ISSUER`'s first issuer, or of the one that is named. Every
 * change leaves an audit record, including one that failed.
 */
@Injectable()
export class HirerMemberships {
  constructor(
    private readonly memberships: DatabaseMemberships,
    private readonly userIds: UserIds,
    private readonly audit: OpsAudit,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
  ) {}

  async list(filter: MembershipFilter, issuer?: string): Promise<Page<MembershipRecord>> {
    return this.store(issuer).list(filter);
  }

  /** Makes the user a member with exactly these roles, starting with the user's next request. */
  async grant(
    user: string,
    hirerId: string,
    roles: readonly string[],
    by: Operator,
    issuer?: string,
  ): Promise<MembershipRecord> {
    const store = this.store(issuer);
    return this.audit.perform(this.grantOf({ user, hirerId, roles }, issuer), by, () =>
      store.grant(user, hirerId, roles),
    );
  }

  /** Ends a membership, if there is one; the user's next request is refused. */
  async revoke(user: string, hirerId: string, by: Operator, issuer?: string): Promise<void> {
    const store = this.store(issuer);
    await this.audit.perform(this.revokeOf({ user, hirerId }, issuer), by, () => store.revoke(user, hirerId));
  }

  /**
   * Imports every membership of a CSV file, or none. Each one that changes leaves an audit record; an import that fails
   * leaves one for the whole file.
   * @throws BffError `invalid_request` for a file without a row that would replace everything
   */
  async import(csv: string, mode: ImportMode, by: Operator, issuer?: string): Promise<ImportReport> {
    const store = this.store(issuer);
    const memberships = readMembershipCsv(csv);
    if (mode.replace && memberships.length === 0) throw emptyReplacement();
    const work = (): Promise<ImportChanges> => store.import(memberships, mode);
    const action = { action: 'membership.import', subject: `${memberships.length} rows` };
    const changes = ({ granted, revoked }: ImportChanges): OpsAction[] => [
      ...granted.map((one) => this.grantOf(one, issuer)),
      ...revoked.map((one) => this.revokeOf(one, issuer)),
    ];
    const { granted, revoked } = await (mode.dryRun ? work() : this.audit.perform(action, by, work, changes));
    return {
      dryRun: mode.dryRun,
      rows: memberships.length,
      changed: granted.length,
      unchanged: memberships.length - granted.length,
      removed: revoked.length,
    };
  }

  private store(issuer: string | undefined): IssuerMemberships {
    if (this.config.HIRER_ACCESS === 'database') return this.memberships.of(this.issuerOf(issuer));
    throw new BffError('not_found', {
      detail:
        'Memberships are not kept by this service: HIRER_ACCESS names another source. Change them there.',
    });
  }

  private grantOf({ user, hirerId, roles }: ImportedMembership, issuer: string | undefined): OpsAction {
    return { action: 'membership.grant', user: this.pseudonymOf(user, issuer), hirerId, roles };
  }

  private revokeOf({ user, hirerId }: MembershipKey, issuer: string | undefined): OpsAction {
    return { action: 'membership.revoke', user: this.pseudonymOf(user, issuer), hirerId };
  }

  /** @param subject `sub` of the user's token */
  private pseudonymOf(subject: string, issuer: string | undefined): string {
    return this.userIds.of(this.issuerOf(issuer), subject);
  }

  /**
   * The issuer that a route means: the one that it names, or the first.
   * @throws BffError `invalid_request` for one that signs nobody in
   */
  issuerOf(named: string | undefined): string {
    const { issuers } = this.memberships;
    if (named === undefined) return issuers[0];
    if (issuers.includes(named)) return named;
    const message = 'must be one of END_USER_ISSUER';
    throw new BffError('invalid_request', { errors: [{ field: 'issuer', message }] });
  }
}

function emptyReplacement(): BffError {
  const message = 'has no row below the header, and would remove every membership';
  return new BffError('invalid_request', {
    detail: 'Nothing was imported. Send the memberships that are to stay.',
    errors: [{ field: 'line 1', message }],
  });
}
