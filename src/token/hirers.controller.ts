import { Controller, Get, Inject, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { HirerAccess } from '../hirer-access/hirer-access.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { RequestContext } from '../upstream/request-context.js';
import { HirerNames } from './hirer-names.js';

/** A hirer as its member sees it. */
interface HirerView {
  readonly hirerId: string;
  /** Null when the upstream does not give it. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** What the roles may ask for at `POST /auth/token`. */
  readonly scopes: readonly string[];
}

/** `GET /hirers`: the hirers the user belongs to. */
@Controller('hirers')
export class HirersController {
  constructor(
    @Inject(HirerAccess) private readonly access: HirerAccess,
    @Inject(RoleScopes) private readonly roleScopes: RoleScopes,
    @Inject(HirerNames) private readonly names: HirerNames,
  ) {}

  @Get()
  @RouteConfig({ access: 'end-user' })
  async list(@Req() request: FastifyRequest): Promise<HirerView[]> {
    const memberships = await this.access.list(userOf(request));
    const hirerIds = memberships.map(({ hirerId }) => hirerId);
    const names = await this.names.of(hirerIds, RequestContext.of(request, false));
    return memberships.map(({ hirerId, roles }, index) => ({
      hirerId,
      name: names[index] ?? null,
      roles,
      scopes: this.roleScopes.scopesFor(roles),
    }));
  }
}
