import { Delete, Get, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/ops-controller.js';
import type { Page } from '../storage/lists/page.js';
import type { MembershipRecord } from './sources/issuer-memberships.js';
import {
  readCsvBody,
  readImportQuery,
  readIssuer,
  readMembershipFilter,
  readMembershipPath,
  readMembershipRoles,
} from './membership-requests.js';
import { HirerMemberships, type ImportReport } from './memberships.js';

type Text = Record<string, unknown>;

/** The membership routes of the ops listener. `{user}` is the `sub` of the user's token, URL-encoded; `issuer` names its issuer. */
@OpsController('memberships')
export class MembershipsController {
  constructor(private readonly memberships: HirerMemberships) {}

  /** `GET /memberships?user&hirer&after`: a page of who belongs to which hirer. */
  @Get()
  list(@Query() query: Text): Promise<Page<MembershipRecord>> {
    return this.memberships.list(...readMembershipFilter(query));
  }

  /** `POST /memberships/import?replace=true&dryRun=true`: imports memberships from CSV. All rows count, or none. */
  @Post('import')
  @HttpCode(200)
  import(@Query() query: Text, @Req() request: FastifyRequest): Promise<ImportReport> {
    const csv = readCsvBody(request.body);
    const { mode, issuer } = readImportQuery(query);
    return this.memberships.import(csv, mode, operatorOf(request), issuer);
  }

  /** `PUT /memberships/{user}/{hirerId}`: makes a user a member, or changes the roles of one. */
  @Put(':user/:hirerId')
  grant(
    @Param() path: Text,
    @Query() query: Text,
    @Req() request: FastifyRequest,
  ): Promise<MembershipRecord> {
    const { user, hirerId } = readMembershipPath(path);
    const roles = readMembershipRoles(request.body);
    return this.memberships.grant(user, hirerId, roles, operatorOf(request), readIssuer(query));
  }

  /** `DELETE /memberships/{user}/{hirerId}`: ends a membership. */
  @Delete(':user/:hirerId')
  @HttpCode(204)
  revoke(@Param() path: Text, @Query() query: Text, @Req() request: FastifyRequest): Promise<void> {
    const { user, hirerId } = readMembershipPath(path);
    return this.memberships.revoke(user, hirerId, operatorOf(request), readIssuer(query));
  }
}
