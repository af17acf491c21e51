import { Readable } from 'node:stream';
import { Delete, Get, Param, Query, Req, Res } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isIdentifier } from '../../http/end-user.js';
import { Is, validate } from '../../errors/validate.js';
import { operatorOf } from '../../http/operator.js';
import { OpsController } from '../../http/incoming/listeners-adapter.js';
import { UserData, type Erasure } from './user-data.js';

const TEXT = 'must be a string of 1 to 255 bytes, given once';

class UserRequest {
  @Is(isIdentifier, TEXT)
  user!: string;

  @IsOptional()
  @Is((value) => typeof value === 'string', TEXT)
  issuer?: string;
}

type Texts = Record<string, unknown>;

/** What the service keeps of one end user. `{user}` is the `sub` of the user's token, URL-encoded. */
@OpsController('users')
export class UsersController {
  constructor(private readonly data: UserData) {}

  /** `GET /users/{user}/export?issuer`: what is kept of an end user, as a JSON document. */
  @Get(':user/export')
  async export(
    @Param('user') given: string,
    @Query() query: Texts,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { user, issuer } = validate(UserRequest, { ...query, user: given });
    const document = await this.data.export(user, issuer, operatorOf(request));
    await reply.type('application/json; charset=utf-8').send(Readable.from(document));
  }

  /** `DELETE /users/{user}?issuer`: erases a user's memberships, tokens and limits, and unlinks the audit records. */
  @Delete(':user')
  erase(
    @Param('user') given: string,
    @Query() query: Texts,
    @Req() request: FastifyRequest,
  ): Promise<Erasure> {
    const { user, issuer } = validate(UserRequest, { ...query, user: given });
    return this.data.erase(user, issuer, operatorOf(request));
  }
}
