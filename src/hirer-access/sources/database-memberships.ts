import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { EndUser } from '../../http/end-user.js';
import { Database, type Queryable, type SqlValue, type Subscription } from '../../storage/database.js';
import { distinctValues } from '../../storage/distinct-values.js';
import { readPage, type Page } from '../../storage/page.js';
import { isStorable } from '../../storage/listing-query.js';
import type { ImportedMembership } from '../command/membership-csv.js';
import { LISTED_HIRERS_MAX, type MembershipSource, type SourceAnswer } from './membership-source.js';

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

const CHANNEL = 'memberships';
const PAGE_ITEMS = 100;
const IMPORT_ROWS = 500;
const HIRERS_MAX = 1_000;
/** Maximum number of combinations of roles that are read to find the roles in use. */
const COMBINATIONS_MAX = 1_000;

type MembershipRow = { subject: string; hirer_id: string; roles: string; updated_at: number };

/** Memberships in our own database, for the users of one issuer. */
@Injectable()
export class DatabaseMemberships implements MembershipSource {
  private readonly watchers: (() => void)[] = [];

  /** `END_USER_ISSUER`, or empty. */
  readonly issuer: string;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) { END_USER_ISSUER }: Pick<Config, 'END_USER_ISSUER'>,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.issuer = END_USER_ISSUER ?? '';
  }

  async read(user: EndUser, hirerId?: string): Promise<SourceAnswer> {
    const parameters = [user.issuer, user.subject, ...(hirerId === undefined ? [] : [hirerId])];
    const rows = await this.database.query<Pick<MembershipRow, 'hirer_id' | 'roles'>>(
      `SELECT hirer_id, roles FROM memberships WHERE issuer = $1 AND subject = $2
       ${hirerId === undefined ? '' : 'AND hirer_id = $3'} ORDER BY hirer_id LIMIT ${LISTED_HIRERS_MAX}`,
      parameters,
    );
    return { memberships: rows.map((row) => ({ hirerId: row.hirer_id, roles: row.roles.split(' ') })) };
  }

  /** The hirers that have a member, in order; 1,000 at most. */
  hirers(): Promise<string[]> {
    return distinctValues(this.database, 'memberships', 'hirer_id', HIRERS_MAX);
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
    await this.announce();
    return { user, hirerId, roles, updatedAt };
  }

  /**
   * Grants all of them, or none; memberships that already exist as given are left alone.
   * @param dryRun only reports what would change
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
    if (!dryRun && changed.size > 0) await this.announce();
    return memberships.filter(({ user, hirerId }) => changed.has(keyOf(user, hirerId)));
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
    await this.announce();
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

  /** The roles of all memberships. Reads the whole table, so it is only for the start. */
  async rolesInUse(): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<Pick<MembershipRow, 'roles'>>(
      `SELECT DISTINCT roles FROM memberships WHERE issuer = $1 LIMIT ${COMBINATIONS_MAX}`,
      [this.issuer],
    );
    return new Set(rows.flatMap(({ roles }) => roles.split(' ')));
  }

  /** This replica first, since the message to the others may fail or be slow. */
  private async announce(): Promise<void> {
    for (const onChange of this.watchers) onChange();
    await this.database.publish(CHANNEL, '');
  }
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
