import { Delete, Get, HttpCode, Param, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { validate } from '../errors/validate.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { parseOptionalJsonObject } from '../json/parse-json.js';
import type { Page } from '../storage/lists/page.js';
import { DEFAULT_ROLES } from './membership.js';
import { IssuerQuery, MembershipBody, MembershipPath, MembershipQuery } from './memberships.dto.js';
import { MembershipsService } from './memberships.service.js';
import type { MembershipRecord } from './sources/sql-memberships.js';

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
    const body = parseOptionalJsonObject(request.body) ?? {};
    const { roles = DEFAULT_ROLES } = validate(MembershipBody, body);
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
