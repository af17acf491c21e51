import { Get, Query } from '@nestjs/common';
import { isSubject } from '../auth/token-claims.js';
import { UserIds } from '../auth/user-ids.js';
import { Is } from '../errors/is.js';
import { validate } from '../errors/validate.js';
import { DatabaseMemberships } from '../hirer-access/sources/database-memberships.js';
import { OpsController } from '../http/ops-controller.js';
import type { Page } from '../storage/page.js';
import { HirerSearch, type FoundHirer } from './hirer-search.js';

const TEXT = 'must be a text of 1 to 255 bytes, given once';

class UserQuery {
  @Is(isSubject, TEXT)
  subject!: string;
}

class HirerQuery {
  @Is(isSubject, TEXT)
  search!: string;
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
    private readonly memberships: DatabaseMemberships,
    private readonly hirers: HirerSearch,
  ) {}

  /**
   * `GET /users?subject`: the pseudonym of the user with this `sub` of `END_USER_ISSUER`, and the one by the previous
   * key.
   */
  @Get('users')
  findUser(@Query() query: Record<string, unknown>): FoundUser {
    const { subject } = validate(UserQuery, query);
    const { issuer } = this.memberships;
    const previousUser = this.userIds.previousOf(issuer, subject);
    return { subject, user: this.userIds.of(issuer, subject), ...(previousUser && { previousUser }) };
  }

  /** `GET /hirer-search?search`: hirers by part of their name, or by the end of their id. */
  @Get('hirer-search')
  async findHirers(@Query() query: Record<string, unknown>): Promise<Page<FoundHirer>> {
    return { items: await this.hirers.find(validate(HirerQuery, query).search), next: null };
  }
}
