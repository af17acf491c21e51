import type { Database, Queryable, SqlValue } from '../../storage/database.js';
import { isStorable } from '../../storage/lists/listing-query.js';
import { readPage, type Page } from '../../storage/lists/page.js';
import type { ImportedMembership } from '../membership-csv.js';

/** A membership as it is administered. */
export interface MembershipRecord {
  /** `sub` of the user's token. */
  readonly user: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** Which memberships to list. */
export interface MembershipFilter {
  readonly user?: string | undefined;
  readonly hirer?: string | undefined;
  /** Only memberships after this one. */
  readonly after?: readonly [user: string, hirerId: string] | undefined;
}

const PAGE_ITEMS = 100;
const IMPORT_ROWS = 500;

/** How a list of memberships is imported. */
export interface ImportMode {
  /** Only reports what would change. */
  readonly dryRun: boolean;
  /** Ends every membership that is not in the list. */
  readonly replace: boolean;
}

/** What an import changes. */
export interface ImportChanges {
  /** New, or with other roles. */
  readonly granted: readonly ImportedMembership[];
  readonly revoked: readonly MembershipKey[];
}

/** The membership that a user and a hirer have, whatever its roles. */
export type MembershipKey = Pick<MembershipRecord, 'user' | 'hirerId'>;

/** A row of the table. */
export type MembershipRow = { subject: string; hirer_id: string; roles: string; updated_at: number };
type StoredKey = Pick<MembershipRow, 'subject' | 'hirer_id'>;

/**
 * The memberships of the users of one issuer, as they are administered. A repeated change is announced too: the first may
 * have been stored without anyone being told.
 */
export class IssuerMemberships {
  /**
   * @param announce tells every replica that memberships of a user, or of many, have changed; resolves once that is in
   *   force on this one
   */
  constructor(
    private readonly database: Database,
    private readonly issuer: string,
    private readonly announce: (user?: string) => Promise<void>,
    private readonly now: () => number,
  ) {}

  /** Makes the user a member with exactly these roles. In force on this replica when the promise resolves. */
  async grant(user: string, hirerId: string, roles: readonly string[]): Promise<MembershipRecord> {
    const updatedAt = this.now();
    await this.database.query(
      `INSERT INTO memberships (issuer, subject, hirer_id, roles, updated_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (issuer, subject, hirer_id) DO UPDATE SET roles = excluded.roles, updated_at = excluded.updated_at`,
      [this.issuer, user, hirerId, roles.join(' '), updatedAt],
    );
    await this.announce(user);
    return { user, hirerId, roles, updatedAt };
  }

  /** Imports all of them, or none, in one transaction; memberships that already exist as given are left alone. */
  async import(
    memberships: readonly ImportedMembership[],
    { dryRun, replace }: ImportMode,
  ): Promise<ImportChanges> {
    const changed = new Set<string>();
    const revoked: MembershipKey[] = [];
    const work = this.database.transaction(async (tx) => {
      for (const rows of batchesOf(memberships)) {
        for (const key of await this.upsert(tx, rows)) changed.add(key);
      }
      if (replace) revoked.push(...(await this.revokeOthers(tx, memberships)));
      if (dryRun) throw new DryRun();
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof DryRun)) throw error;
    });
    if (!dryRun) await this.announce();
    const granted = memberships.filter(({ user, hirerId }) => changed.has(keyOf(user, hirerId)));
    return { granted, revoked };
  }

  /** Ends the memberships that are not among these. @returns those that ended */
  private async revokeOthers(tx: Queryable, kept: readonly MembershipKey[]): Promise<MembershipKey[]> {
    const keys = new Set(kept.map(({ user, hirerId }) => keyOf(user, hirerId)));
    const all = await tx.query<StoredKey>('SELECT subject, hirer_id FROM memberships WHERE issuer = $1', [
      this.issuer,
    ]);
    const others = all.filter((row) => !keys.has(keyOf(row.subject, row.hirer_id)));
    const ended: StoredKey[] = [];
    for (const rows of batchesOf(others)) {
      const parameters: SqlValue[] = [this.issuer];
      const bind = (value: SqlValue): string => `$${parameters.push(value)}`;
      const values = rows.map((row) => `(${bind(row.subject)}, ${bind(row.hirer_id)})`);
      ended.push(
        ...(await tx.query<StoredKey>(
          `DELETE FROM memberships WHERE issuer = $1 AND (subject, hirer_id) IN (VALUES ${values.join(', ')})
           RETURNING subject, hirer_id`,
          parameters,
        )),
      );
    }
    return ended.map(({ subject, hirer_id: hirerId }) => ({ user: subject, hirerId }));
  }

  /** Keys of the rows that are new or changed. */
  private async upsert(tx: Queryable, rows: readonly ImportedMembership[]): Promise<string[]> {
    const parameters: SqlValue[] = [];
    const bind = (value: SqlValue): string => `$${parameters.push(value)}`;
    const now = this.now();
    const values = rows.map(
      ({ user, hirerId, roles }) =>
        `(${[this.issuer, user, hirerId, roles.join(' '), now].map(bind).join(', ')})`,
    );
    const changed = await tx.query<StoredKey>(
      `INSERT INTO memberships (issuer, subject, hirer_id, roles, updated_at) VALUES ${values.join(', ')}
       ON CONFLICT (issuer, subject, hirer_id) DO UPDATE SET roles = excluded.roles, updated_at = excluded.updated_at
       WHERE memberships.roles <> excluded.roles RETURNING subject, hirer_id`,
      parameters,
    );
    return changed.map((row) => keyOf(row.subject, row.hirer_id));
  }

  /** Ends the membership, if there is one. In force on this replica when the promise resolves. */
  async revoke(user: string, hirerId: string): Promise<void> {
    await this.database.query(
      'DELETE FROM memberships WHERE issuer = $1 AND subject = $2 AND hirer_id = $3',
      [this.issuer, user, hirerId],
    );
    await this.announce(user);
  }

  /** Ends every membership of a user. In force on this replica when the promise resolves. @returns how many there were */
  async revokeAll(user: string): Promise<number> {
    const rows = await this.database.query(
      'DELETE FROM memberships WHERE issuer = $1 AND subject = $2 RETURNING hirer_id',
      [this.issuer, user],
    );
    await this.announce(user);
    return rows.length;
  }

  /** A page, sorted by user and hirer id. */
  list({ user, hirer, after }: MembershipFilter): Promise<Page<MembershipRecord>> {
    return readPage<MembershipRow, MembershipRecord>(this.database, {
      select: 'SELECT subject, hirer_id, roles, updated_at FROM memberships',
      conditions: [
        ['issuer = ?', this.issuer],
        ['subject = ?', user],
        ['hirer_id = ?', hirer],
        ['(subject, hirer_id) > (?, ?)', after?.[0], after?.[1]],
      ],
      orderBy: 'subject, hirer_id',
      itemsMax: PAGE_ITEMS,
      toItem: toRecord,
      cursorOf: ({ subject, hirer_id: hirerId }) =>
        Buffer.from(JSON.stringify([subject, hirerId])).toString('base64url'),
    });
  }
}

/** The rows in batches that fit a statement. */
function* batchesOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += IMPORT_ROWS) yield rows.slice(start, start + IMPORT_ROWS);
}

/** Rolls back the transaction it is thrown in. */
class DryRun extends Error {}

function keyOf(user: string, hirerId: string): string {
  return JSON.stringify([user, hirerId]);
}

function toRecord(row: MembershipRow): MembershipRecord {
  return {
    user: row.subject,
    hirerId: row.hirer_id,
    roles: row.roles.split(' '),
    updatedAt: row.updated_at,
  };
}

/** Decodes a `next`; undefined for any other text. */
export function readCursor(cursor: string): readonly [string, string] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || value.length !== 2) return undefined;
    const [user, hirerId] = value as unknown[];
    if (typeof user !== 'string' || typeof hirerId !== 'string') return undefined;
    return isStorable(user) && isStorable(hirerId) ? [user, hirerId] : undefined;
  } catch {
    return undefined;
  }
}
