import { Delete, Get, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { validate } from '../errors/validate.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/ops-controller.js';
import { parseOptionalJsonObject } from '../json/parse-json-object.js';
import type { Page } from '../storage/lists/page.js';
import { DEFAULT_ROLES } from './membership.js';
import {
  ImportQuery,
  IssuerQuery,
  MembershipBody,
  MembershipPath,
  MembershipQuery,
} from './memberships.dto.js';
import { MembershipsService, type ImportReport } from './memberships.service.js';
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

  /** `POST /memberships/import?replace&dryRun&issuer`: imports memberships from `text/csv`, all rows or none. */
  @Post('import')
  @HttpCode(200)
  import(@Query() query: Text, @Req() request: FastifyRequest): Promise<ImportReport> {
    const { body } = request;
    if (typeof body !== 'string') {
      throw new BffError('unsupported_media_type', {
        detail: 'Send the file as "Content-Type: text/csv", in UTF-8.',
      });
    }
    const { dryRun, replace, issuer } = validate(ImportQuery, query);
    const mode = { dryRun: dryRun === 'true', replace: replace === 'true' };
    return this.memberships.import(body, mode, operatorOf(request), issuer);
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
