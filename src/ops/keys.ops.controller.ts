import { HttpCode, Post, Query, Req } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { validate } from '../errors/validate.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/ops-controller.js';
import { KeyReload, type KeyReloadReport } from './key-reload.js';

class ReloadQuery {
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  drop?: 'true' | 'false';
}

/** The ops route for the keys of end users. */
@OpsController('end-user-keys')
export class KeysController {
  constructor(private readonly keys: KeyReload) {}

  /** `POST /end-user-keys/reload?drop=true`: fetches the JWK set now; with `drop`, drops the last one if that fails. */
  @Post('reload')
  @HttpCode(200)
  reload(@Query() query: Record<string, unknown>, @Req() request: FastifyRequest): Promise<KeyReloadReport> {
    const { drop } = validate(ReloadQuery, query);
    return this.keys.run(operatorOf(request), drop === 'true');
  }
}
