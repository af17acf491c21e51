import type { EndUser } from '../http/end-user.js';
import type { Page } from '../storage/page.js';
import type { Database, Queryable, SqlValue, Subscription } from '../storage/database.js';
import { isStorable } from '../storage/storable-text.js';
import type { ImportedMembership } from './membership-csv.js';
import type { MembershipSource, SourceAnswer } from './membership-source.js';

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
  /** The last one of the page before: user and hirer id. */
  readonly after?: readonly [user: string, hirerId: string] | undefined;
}

const CHANNEL = 'memberships';
const PAGE_ITEMS = 100;
const IMPORT_ROWS = 500;
/** Most hirers that a user is told of at once. */
const LIST_MAX = 1_000;
/** Most combinations of roles that are looked at to find the roles in use. */
const COMBINATIONS_MAX = 1_000;

type MembershipRow = { subject: string; hirer_id: string; roles: string; updated_at: number };

/** Memberships in our own database, all of one issuer. */
export class DatabaseMemberships implements MembershipSource {
  private readonly watchers: (() => void)[] = [];

  /** @param issuer `END_USER_ISSUER`, or empty */
  constructor(
    private readonly database: Database,
    readonly issuer: string,
    private readonly now: () => number = Date.now,
  ) {}

  async read(user: EndUser, hirerId?: string): Promise<SourceAnswer> {
    const parameters = [user.issuer, user.subject, ...(hirerId === undefined ? [] : [hirerId])];
    const rows = await this.database.query<Pick<MembershipRow, 'hirer_id' | 'roles'>>(
      `SELECT hirer_id, roles FROM memberships WHERE issuer = $1 AND subject = $2
       ${hirerId === undefined ? '' : 'AND hirer_id = $3'} ORDER BY hirer_id LIMIT ${LIST_MAX}`,
      parameters,
    );
    return { memberships: rows.map((row) => ({ hirerId: row.hirer_id, roles: row.roles.split(' ') })) };
  }

  watch(onChange: () => void): Subscription {
    this.watchers.push(onChange);
    return this.database.subscribe(CHANNEL, onChange, onChange);
  }

  /** Makes the user a member with exactly these roles. In force on this replica when the promise resolves. */
  async grant(user: string, hirerId: string, roles: readonly string[]): Promise<MembershipRecord> {
    const updatedAt = this.now();
    await this.database.query(
      `INSERT INTO memberships (issuer, subject, hirer_id, roles, updated_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (issuer, subject, hirer_id) DO UPDATE SET roles = excluded.roles, updated_at = excluded.updated_at`,
      [this.issuer, user, hirerId, roles.join(' '), updatedAt],
    );
    await this.tell();
    return { user, hirerId, roles, updatedAt };
  }

  /**
   * Grants all of them, or none; those that are so already are left as they are.
   * @param dryRun only tells what would change
   * @returns those that changed
   */
  async grantAll(memberships: readonly ImportedMembership[], dryRun: boolean): Promise<ImportedMembership[]> {
    const changed = new Set<string>();
    const work = this.database.transaction(async (tx) => {
      for (let start = 0; start < memberships.length; start += IMPORT_ROWS) {
        const rows = memberships.slice(start, start + IMPORT_ROWS);
        for (const key of await this.upsert(tx, rows)) changed.add(key);
      }
      if (dryRun) throw new DryRun();
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof DryRun)) throw error;
    });
    if (!dryRun && changed.size > 0) await this.tell();
    return memberships.filter(({ user, hirerId }) => changed.has(keyOf(user, hirerId)));
  }

  /** Keys of the rows that were new or changed. */
  private async upsert(tx: Queryable, rows: readonly ImportedMembership[]): Promise<string[]> {
    const parameters: SqlValue[] = [];
    const bind = (value: SqlValue): string => `$${parameters.push(value)}`;
    const now = this.now();
    const values = rows.map(
      ({ user, hirerId, roles }) =>
        `(${[this.issuer, user, hirerId, roles.join(' '), now].map(bind).join(', ')})`,
    );
    const changed = await tx.query<Pick<MembershipRow, 'subject' | 'hirer_id'>>(
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
    await this.tell();
  }

  /** A page, by user and hirer id. */
  async list(filter: MembershipFilter): Promise<Page<MembershipRecord>> {
    const { sql, parameters } = selectMemberships(this.issuer, filter);
    const rows = await this.database.query<MembershipRow>(sql, parameters);
    const items = rows.slice(0, PAGE_ITEMS).map(toRecord);
    const last = items.at(-1);
    return { items, next: last && rows.length > PAGE_ITEMS ? writeCursor(last) : null };
  }

  /** The roles that memberships hold. Reads the whole table: for the start alone. */
  async rolesInUse(): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<Pick<MembershipRow, 'roles'>>(
      `SELECT DISTINCT roles FROM memberships WHERE issuer = $1 LIMIT ${COMBINATIONS_MAX}`,
      [this.issuer],
    );
    return new Set(rows.flatMap(({ roles }) => roles.split(' ')));
  }

  /** This replica first, since the message to the others may fail or take its time. */
  private async tell(): Promise<void> {
    for (const onChange of this.watchers) onChange();
    await this.database.publish(CHANNEL, '');
  }
}

/** Undoes the transaction it is thrown in. */
class DryRun extends Error {}

function keyOf(user: string, hirerId: string): string {
  return JSON.stringify([user, hirerId]);
}

function selectMemberships(issuer: string, { user, hirer, after }: MembershipFilter) {
  const parameters: SqlValue[] = [issuer];
  const bind = (value: SqlValue): string => `$${parameters.push(value)}`;
  const conditions = ['issuer = $1'];
  if (user !== undefined) conditions.push(`subject = ${bind(user)}`);
  if (hirer !== undefined) conditions.push(`hirer_id = ${bind(hirer)}`);
  if (after) conditions.push(`(subject, hirer_id) > (${bind(after[0])}, ${bind(after[1])})`);
  const sql = `SELECT subject, hirer_id, roles, updated_at FROM memberships WHERE ${conditions.join(' AND ')}
    ORDER BY subject, hirer_id LIMIT ${PAGE_ITEMS + 1}`;
  return { sql, parameters };
}

function toRecord(row: MembershipRow): MembershipRecord {
  return {
    user: row.subject,
    hirerId: row.hirer_id,
    roles: row.roles.split(' '),
    updatedAt: row.updated_at,
  };
}

function writeCursor({ user, hirerId }: MembershipRecord): string {
  return Buffer.from(JSON.stringify([user, hirerId])).toString('base64url');
}

/** What a `next` stands for; undefined for a text that was none. */
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
