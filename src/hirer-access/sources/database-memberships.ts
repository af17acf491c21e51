import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { EndUser } from '../../http/end-user.js';
import { Database, type Subscription } from '../../storage/database.js';
import { distinctValues } from '../../storage/lists/distinct-values.js';
import { IssuerMemberships, type MembershipRow } from './issuer-memberships.js';
import {
  LISTED_HIRERS_MAX,
  type ChangedUser,
  type MembershipSource,
  type SourceAnswer,
} from './membership-source.js';

const CHANNEL = 'memberships';
const HIRERS_MAX = 1_000;
/** Maximum number of combinations of roles that are read to find the roles in use. */
const COMBINATIONS_MAX = 1_000;

/** Memberships in our own database, by issuer and subject. */
@Injectable()
export class DatabaseMemberships implements MembershipSource {
  private readonly watchers: ((user?: ChangedUser) => void)[] = [];

  /** `END_USER_ISSUER`, or one that is empty. */
  readonly issuers: readonly [string, ...string[]];

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) { END_USER_ISSUER: [first = '', ...others] }: Pick<Config, 'END_USER_ISSUER'>,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.issuers = [first, ...others];
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

  watch(onChange: (user?: ChangedUser) => void): Subscription {
    this.watchers.push(onChange);
    return this.database.subscribe(
      CHANNEL,
      (message) => onChange(readNotice(message)),
      () => onChange(),
    );
  }

  /** The memberships of the users of one issuer, to be administered; the first issuer by default. */
  of(issuer = this.issuers[0]): IssuerMemberships {
    return new IssuerMemberships(
      this.database,
      issuer,
      (subject) => this.announce(subject === undefined ? undefined : { issuer, subject }),
      this.now,
    );
  }

  /** The roles of all memberships. Reads the whole table, so it is only for the start. */
  async rolesInUse(): Promise<ReadonlySet<string>> {
    const places = this.issuers.map((_, index) => `$${index + 1}`);
    const rows = await this.database.query<Pick<MembershipRow, 'roles'>>(
      `SELECT DISTINCT roles FROM memberships WHERE issuer IN (${places.join(', ')}) LIMIT ${COMBINATIONS_MAX}`,
      this.issuers,
    );
    return new Set(rows.flatMap(({ roles }) => roles.split(' ')));
  }

  /** This replica first, since the message to the others may fail or be slow. */
  private async announce(user?: ChangedUser): Promise<void> {
    for (const onChange of this.watchers) onChange(user);
    await this.database.publish(CHANNEL, user ? JSON.stringify([user.issuer, user.subject]) : '');
  }
}

/** The user that a notice names; undefined for any other notice, such as that of a version that names none. */
function readNotice(message: string): ChangedUser | undefined {
  try {
    const names: unknown = JSON.parse(message);
    if (!Array.isArray(names) || names.length !== 2) return undefined;
    const [issuer, subject] = names as unknown[];
    return typeof issuer === 'string' && typeof subject === 'string' ? { issuer, subject } : undefined;
  } catch {
    return undefined;
  }
}
