import { Controller, Get, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { MembershipGate } from '../hirer-access/membership-gate.js';
import { HirerNames } from './hirer-names.js';
import { RequestLimit } from './rate-limits.js';

interface HirerView {
  readonly hirerId: string;
  /** Null when the upstream does not give it. */
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** `GET /hirers`: the hirers the user belongs to; none for a machine, which belongs to every hirer. */
@Controller('hirers')
export class HirersController {
  constructor(
    private readonly gate: MembershipGate,
    private readonly names: HirerNames,
    private readonly requestLimit: RequestLimit,
  ) {}

  @Get()
  @RouteConfig({ access: 'end-user' })
  async list(@Req() { context }: FastifyRequest): Promise<HirerView[]> {
    const { endUser: user } = context;
    await this.requestLimit.admit(user);
    const memberships = await this.gate.hirersOf(user, context);
    const hirerIds = memberships.map(({ hirerId }) => hirerId);
    const names = await this.names.of(hirerIds, context);
    const nameOf = new Map(hirerIds.map((hirerId, index) => [hirerId, names[index]]));
    const current = context.hasWaited ? await this.gate.hirersOf(user, context) : memberships;
    return current.map(({ hirerId, roles, scopes }) => {
      return { hirerId, name: nameOf.get(hirerId) ?? null, roles, scopes };
    });
  }
}
