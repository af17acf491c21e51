import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { toView } from '../../audit/audit-record.js';
import { OpsAudit } from '../../audit/ops-audit.js';
import { UserIds } from '../../auth/user-ids.js';
import { SqlMemberships } from '../../hirer-access/sources/sql-memberships.js';
import type { Operator } from '../../http/operator.js';
import { UserTraces } from './user-traces.js';

/** The result of an erasure. */
export interface Erasure {
  readonly user: string;
  readonly issuer: string;
  /** Memberships that were removed. */
  readonly memberships: number;
  /** Audit records that no longer hold the pseudonym. */
  readonly auditRecords: number;
}

/** An end user, and the pseudonyms by which the upstream and the audit trail know them: by the key and the previous one. */
interface Subject {
  readonly subject: string;
  readonly issuer: string;
  readonly userIds: readonly string[];
}

/**
 * Everything that the service keeps of one end user: given out, and erased (docs/data-protection.md). A record of the
 * erasure stays in the audit trail, without the pseudonym.
 */
@Injectable()
export class UserData {
  constructor(
    private readonly memberships: SqlMemberships,
    private readonly userIds: UserIds,
    private readonly trail: AuditTrail,
    private readonly traces: UserTraces,
    private readonly audit: OpsAudit,
  ) {}

  /**
   * A JSON document in parts, since the audit trail of a user may be long.
   * @param user `sub` of the user's token
   * @throws BffError `invalid_request` for an issuer that signs nobody in
   */
  async export(user: string, issuer: string | undefined, by: Operator): Promise<AsyncGenerator<string>> {
    const subject = this.subjectOf(user, issuer);
    const action = { action: 'user.export', user: subject.userIds[0] };
    const memberships = await this.audit.perform(action, by, () => this.membershipsOf(subject));
    return this.write(subject, memberships);
  }

  /** Removes memberships, tokens and limits, and unlinks audit records, on every replica. */
  async erase(user: string, issuer: string | undefined, by: Operator): Promise<Erasure> {
    const { subject, issuer: named, userIds } = this.subjectOf(user, issuer);
    return this.audit.perform({ action: 'user.erase' }, by, async () => {
      const memberships = await this.memberships.revokeAll(named, subject);
      const auditRecords = await this.traces.erase(userIds);
      return { user: subject, issuer: named, memberships, auditRecords };
    });
  }

  private subjectOf(subject: string, named: string | undefined): Subject {
    const issuer = this.userIds.issuerOf(named);
    const previous = this.userIds.previousOf(issuer, subject);
    const userIds = [this.userIds.of(issuer, subject), ...(previous === undefined ? [] : [previous])];
    return { subject, issuer, userIds };
  }

  private async membershipsOf({ subject, issuer }: Subject): Promise<readonly object[]> {
    const found: object[] = [];
    let after: string | undefined;
    for (;;) {
      const { items, next } = await this.memberships.list(issuer, { user: subject, after });
      found.push(
        ...items.map(({ updatedAt, ...one }) => ({ ...one, updatedAt: new Date(updatedAt).toISOString() })),
      );
      if (next === null) return found;
      after = next;
    }
  }

  private async *write(
    { subject, issuer, userIds }: Subject,
    memberships: readonly object[],
  ): AsyncGenerator<string> {
    const [user, previousUser] = userIds;
    const head = JSON.stringify({ subject, issuer, user, previousUser, memberships });
    yield `${head.slice(0, -1)},"audit":[`;
    let separator = '\n';
    for await (const record of this.trail.export({ users: userIds })) {
      yield separator + JSON.stringify(toView(record));
      separator = ',\n';
    }
    yield ']}\n';
  }
}
