import { Controller, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { opsActionOf } from '../http/ops-action.js';
import { KeyReload, type KeyReloadReport } from './key-reload.js';

/** The route of the ops listener for the keys of end users. */
@Controller('end-user-keys')
export class KeysController {
  constructor(@Inject(KeyReload) private readonly keys: KeyReload) {}

  /** `POST /end-user-keys/reload?drop=true`: fetches the JWK set now; drops the last one if that fails. */
  @Post('reload')
  @HttpCode(200)
  reload(@Query('drop') drop: unknown, @Req() request: FastifyRequest): Promise<KeyReloadReport> {
    if (drop !== undefined && drop !== 'true' && drop !== 'false') {
      const errors = [{ field: 'drop', message: 'must be true or false' }];
      throw new BffError('invalid_request', { errors });
    }
    return this.keys.run(opsActionOf(request), drop === 'true');
  }
}
