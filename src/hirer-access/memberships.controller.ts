import { Delete, Get, HttpCode, Param, Put, Query, Req } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsOptional, ValidateIf } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { isIdentifier, isHirerId } from '../http/end-user.js';
import { Is, validate } from '../errors/validate.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { parseOptionalJsonObject } from '../json/parse-json.js';
import type { Page } from '../storage/lists/page.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole } from './membership.js';
import { MembershipsService } from './memberships.service.js';
import { readPair, type MembershipRecord } from './sources/sql-memberships.js';

const IsUser = () => Is(isIdentifier, 'must be the sub of a user: text of 1 to 255 bytes');
const IsHirer = () => Is(isHirerId, 'must be a hirer object identifier of 1 to 255 bytes');

const ROLE =
  'each must be a word of 1 to 64 letters, digits or . : _ -, and not machine, which is reserved for MACHINE_SUBJECTS';

/** The `{user}/{hirerId}` of a route. */
export class MembershipPath {
  @IsUser()
  user!: string;

  @IsHirer()
  hirerId!: string;
}

/** The query of every route. */
class IssuerQuery {
  @IsOptional()
  @Is((value) => typeof value === 'string', 'must be given once')
  issuer?: string;
}

/** The query of a list. */
export class MembershipQuery extends IssuerQuery {
  @IsOptional()
  @IsUser()
  user?: string;

  @IsOptional()
  @IsHirer()
  hirer?: string;

  @IsOptional()
  @Is((value) => typeof value === 'string' && readPair(value) !== undefined, 'must be the next of a page')
  after?: string;
}

/** `{"roles": […]}`. */
export class MembershipBody {
  @ValidateIf(({ roles }: MembershipBody) => roles !== undefined) // null is not a list
  @IsArray({ message: 'must be a list' })
  @ArrayMinSize(1, { message: 'must name a role' })
  @ArrayMaxSize(ROLES_MAX, { message: `must name at most ${ROLES_MAX} roles` })
  @ArrayUnique({ message: 'must name each role once' })
  @Is(isGrantableRole, ROLE, true)
  roles?: string[];
}

type Text = Record<string, unknown>;

/** The membership routes of the ops listener. `{user}` is the `sub` of the user's token, URL-encoded; `issuer` names its issuer. */
@OpsController('memberships')
export class MembershipsController {
  constructor(private readonly memberships: MembershipsService) {}

  /** `GET /memberships?user&hirer&issuer&after`: who belongs to which hirer. */
  @Get()
  list(@Query() query: Text): Promise<Page<MembershipRecord>> {
    const { issuer, ...filter } = validate(MembershipQuery, query);
    return this.memberships.list(filter, issuer);
  }

  /** `PUT /memberships/{user}/{hirerId}?issuer` `{roles}`: makes a user a member, or changes the roles of one. */
  @Put(':user/:hirerId')
  grant(
    @Param() path: Text,
    @Query() query: Text,
    @Req() request: FastifyRequest,
  ): Promise<MembershipRecord> {
    const { user, hirerId } = validate(MembershipPath, path);
    const { roles = DEFAULT_ROLES } = validate(MembershipBody, parseOptionalJsonObject(request.body));
    const { issuer } = validate(IssuerQuery, query);
    return this.memberships.grant({ user, hirerId, roles }, operatorOf(request), issuer);
  }

  /** `DELETE /memberships/{user}/{hirerId}?issuer`: ends a membership. */
  @Delete(':user/:hirerId')
  @HttpCode(204)
  revoke(@Param() path: Text, @Query() query: Text, @Req() request: FastifyRequest): Promise<void> {
    const { user, hirerId } = validate(MembershipPath, path);
    const { issuer } = validate(IssuerQuery, query);
    return this.memberships.revoke({ user, hirerId }, operatorOf(request), issuer);
  }
}
