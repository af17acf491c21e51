import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { UserIds } from '../auth/user-ids.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Operator } from '../http/operator.js';
import type { Page } from '../storage/lists/page.js';
import { readMembershipCsv } from './membership-csv.js';
import {
  SqlMemberships,
  type ImportChanges,
  type ImportMode,
  type MembershipFilter,
  type MembershipKey,
  type MembershipRecord,
  type UserMembership,
} from './sources/sql-memberships.js';

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
    const work = () => this.memberships.grant(issuer, membership);
    return this.audit.perform(this.actionOf('grant', issuer, membership), by, work);
  }

  /** Ends a membership, if there is one. */
  async revoke(membership: MembershipKey, by: Operator, named?: string): Promise<void> {
    const issuer = this.keptFor(named);
    const work = () => this.memberships.revoke(issuer, membership);
    await this.audit.perform(this.actionOf('revoke', issuer, membership), by, work);
  }

  /**
   * Imports every membership of a CSV file, or none. Each one that changes leaves an audit record; an import that fails
   * leaves one for the whole file.
   * @throws BffError `invalid_request` for a file without a row that would replace everything
   */
  async import(csv: string, mode: ImportMode, by: Operator, named?: string): Promise<ImportReport> {
    const issuer = this.keptFor(named);
    const memberships = readMembershipCsv(csv);
    const { length: rows } = memberships;
    if (mode.replace && rows === 0) throw emptyReplacement();
    const work = (): Promise<ImportChanges> => this.memberships.import(issuer, memberships, mode);
    const { granted, revoked } = await (mode.dryRun
      ? work()
      : this.audit.perform({ action: 'membership.import', subject: `${rows} rows` }, by, work, (changes) => [
          ...changes.granted.map((one) => this.actionOf('grant', issuer, one)),
          ...changes.revoked.map((one) => this.actionOf('revoke', issuer, one)),
        ]));
    const [changed, removed] = [granted.length, revoked.length];
    return { dryRun: mode.dryRun, rows, changed, unchanged: rows - changed, removed };
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

  /** The same, where memberships are kept here. @throws BffError `not_found` where they are not */
  private keptFor(named: string | undefined): string {
    if (this.config.HIRER_ACCESS === 'database') return this.issuerOf(named);
    throw new BffError('not_found', {
      detail:
        'This service does not store memberships, because HIRER_ACCESS names another source. Change them there.',
    });
  }

  private actionOf(
    what: 'grant' | 'revoke',
    issuer: string,
    { user: subject, hirerId, roles }: MembershipKey & Partial<UserMembership>,
  ): OpsAction {
    const action = { action: `membership.${what}`, user: this.userIds.of(issuer, subject), hirerId };
    return roles ? { ...action, roles } : action;
  }
}

function emptyReplacement(): BffError {
  const message = 'has no row below the header, and would remove every membership';
  return new BffError('invalid_request', {
    detail: 'Nothing was imported. Send the memberships to keep.',
    errors: [{ field: 'line 1', message }],
  });
}
