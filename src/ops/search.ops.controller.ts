import { Get, Query } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { isIdentifier } from '../http/end-user.js';
import { UserIds } from '../auth/user-ids.js';
import { Is, validate } from '../errors/validate.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import type { Page } from '../storage/lists/page.js';
import { HirerSearch, type FoundHirer, type FoundHirers } from './hirer-search.js';

const TEXT = 'must be a string of 1 to 255 bytes, given once';

class UserQuery {
  @Is(isIdentifier, TEXT)
  subject!: string;

  @IsOptional()
  @Is((value) => typeof value === 'string', TEXT)
  issuer?: string;
}

class HirerQuery {
  @Is(isIdentifier, TEXT)
  search!: string;
}

/** As many as a list shows on a page. */
const NAMED_MAX = 100;
const HIRERS = `must be 1 to ${NAMED_MAX} texts of 1 to 255 bytes`;

class NamesQuery {
  @Is((value) => namesOf(value).length <= NAMED_MAX && namesOf(value).every(isIdentifier), HIRERS)
  hirer!: string | string[];
}

function namesOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

interface FoundUser {
  readonly subject: string;
  readonly user: string;
  readonly previousUser?: string;
}

/** Translates what an operator knows of a user or a hirer into the identifiers of the audit trail and the events. */
@OpsController()
export class SearchController {
  constructor(
    private readonly userIds: UserIds,
    private readonly hirers: HirerSearch,
  ) {}

  /** `GET /users?subject&issuer`: the pseudonym of a user's `sub`, and `previousUser` by a previous `USER_ID_KEY`. */
  @Get('users')
  findUser(@Query() query: Record<string, unknown>): FoundUser {
    const { subject, issuer: named } = validate(UserQuery, query);
    const issuer = this.userIds.issuerOf(named);
    const previousUser = this.userIds.previousOf(issuer, subject);
    return { subject, user: this.userIds.of(issuer, subject), ...(previousUser && { previousUser }) };
  }

  /** `GET /hirer-search?search`: hirers by part of their name or the end of their id. */
  @Get('hirer-search')
  async findHirers(@Query() query: Record<string, unknown>): Promise<Page<FoundHirer> & FoundHirers> {
    return { ...(await this.hirers.find(validate(HirerQuery, query).search)), next: null };
  }

  /** `GET /hirer-names?hirer&hirer…`: the names of up to 100 hirers, null where the upstream does not say. */
  @Get('hirer-names')
  async nameHirers(@Query() query: Record<string, unknown>): Promise<Page<FoundHirer>> {
    const { hirer } = validate(NamesQuery, query);
    return { items: await this.hirers.named([hirer].flat()), next: null };
  }
}
