import { Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { Database, type Subscription } from '../../storage/database.js';
import { isStorable } from '../../storage/lists/listing-query.js';
import { hirersIn, readPage, type Page } from '../../storage/lists/page.js';
import type { StatedMembership } from '../membership.js';
import type { MembershipSource, SourceAnswer, SourceUser } from '../hirer-access.port.js';

/** A membership of a user of one issuer; `user` is the `sub` of the user's token. */
export interface UserMembership extends StatedMembership {
  readonly user: string;
}

/** A membership as it is administered. */
export interface MembershipRecord extends UserMembership {
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** The membership that a user and a hirer have, whatever its roles. */
export type MembershipKey = Pick<UserMembership, 'user' | 'hirerId'>;

/** Which memberships to list. */
export interface MembershipFilter {
  readonly user?: string | undefined;
  readonly hirer?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

type Row = { subject: string; hirer_id: string; roles: string; updated_at: number };

const CHANNEL = 'memberships';
/** Of one user; the user does not belong to more. */
const LISTED_HIRERS_MAX = 10_000;
const PAGE_ITEMS = 100;

/**
 * Memberships in our own database, by issuer and subject. A change is in force on this replica when its promise
 * resolves, and told to the others; a repeated one is told too, since the first may have been stored without anyone
 * being told.
 */
@Injectable()
export class SqlMemberships implements MembershipSource {
  private readonly watchers: ((user?: SourceUser) => void)[] = [];

  constructor(
    private readonly database: Database,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  async read({ issuer, subject }: SourceUser): Promise<SourceAnswer> {
    const rows = await this.database.query<Pick<Row, 'hirer_id' | 'roles'>>(
      `SELECT hirer_id, roles FROM memberships WHERE issuer = $1 AND subject = $2
       ORDER BY hirer_id LIMIT ${LISTED_HIRERS_MAX}`,
      [issuer, subject],
    );
    return { memberships: rows.map(toMembership) };
  }

  watch(onChange: (user?: SourceUser) => void): Subscription {
    this.watchers.push(onChange);
    const onNotice = (message: string): void => {
      const pair = readPair(message);
      onChange(pair && { issuer: pair[0], subject: pair[1] });
    };
    return this.database.subscribe(CHANNEL, onNotice, () => onChange());
  }

  /** The hirers that have a member, in order; 1,000 at most. */
  hirers(): Promise<string[]> {
    return hirersIn(this.database, 'memberships');
  }

  /** A page of the memberships of an issuer's users, sorted by user and hirer id. */
  list(issuer: string, { user, hirer, after }: MembershipFilter): Promise<Page<MembershipRecord>> {
    const [lastUser, lastHirer] = (after === undefined ? undefined : readPair(after)) ?? [];
    return readPage<Row, MembershipRecord>(this.database, {
      select: 'SELECT subject, hirer_id, roles, updated_at FROM memberships',
      conditions: [
        ['issuer = ?', issuer],
        ['subject = ?', user],
        ['hirer_id = ?', hirer],
        ['(subject, hirer_id) > (?, ?)', lastUser, lastHirer],
      ],
      orderBy: 'subject, hirer_id',
      itemsMax: PAGE_ITEMS,
      toItem: (row) => ({ user: row.subject, ...toMembership(row), updatedAt: row.updated_at }),
      cursorOf: (row) => writePair(row.subject, row.hirer_id),
    });
  }

  /** Makes the user a member with exactly these roles. */
  async grant(issuer: string, membership: UserMembership): Promise<MembershipRecord> {
    const { user, hirerId, roles } = membership;
    const updatedAt = this.now();
    await this.database.query(
      `INSERT INTO memberships (issuer, subject, hirer_id, roles, updated_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (issuer, subject, hirer_id) DO UPDATE SET roles = excluded.roles, updated_at = excluded.updated_at`,
      [issuer, user, hirerId, roles.join(' '), updatedAt],
    );
    await this.announce({ issuer, subject: user });
    return { ...membership, updatedAt };
  }

  /** Ends the membership, if there is one. */
  async revoke(issuer: string, { user, hirerId }: MembershipKey): Promise<void> {
    await this.database.query(
      'DELETE FROM memberships WHERE issuer = $1 AND subject = $2 AND hirer_id = $3',
      [issuer, user, hirerId],
    );
    await this.announce({ issuer, subject: user });
  }

  /** Ends every membership of a user. @returns how many there were */
  async revokeAll(issuer: string, user: string): Promise<number> {
    const rows = await this.database.query(
      'DELETE FROM memberships WHERE issuer = $1 AND subject = $2 RETURNING hirer_id',
      [issuer, user],
    );
    await this.announce({ issuer, subject: user });
    return rows.length;
  }

  /** This replica first, since the message to the others may fail or be slow. */
  private async announce(user: SourceUser): Promise<void> {
    for (const onChange of this.watchers) onChange(user);
    await this.database.publish(CHANNEL, writePair(user.issuer, user.subject));
  }
}

function toMembership({ hirer_id: hirerId, roles }: Pick<Row, 'hirer_id' | 'roles'>): StatedMembership {
  return { hirerId, roles: roles.split(' ') };
}

/** Two texts as one word: the `next` of a page, and the user whom a notice names. */
function writePair(...texts: [string, string]): string {
  return Buffer.from(JSON.stringify(texts)).toString('base64url');
}

/** Undefined for any other text, such as the notice of another version. */
export function readPair(word: string): readonly [string, string] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(word, 'base64url').toString('utf8'));
    const [one, two] = Array.isArray(value) && value.length === 2 ? (value as unknown[]) : [];
    const areTexts = typeof one === 'string' && typeof two === 'string';
    return areTexts && isStorable(one) && isStorable(two) ? [one, two] : undefined;
  } catch {
    return undefined;
  }
}
