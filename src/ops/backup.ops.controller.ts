import { HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpsAudit } from '../audit/ops-audit.js';
import { BffError } from '../errors/bff-error.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { Database } from '../storage/database.js';

const SERVER_TOOL = 'The database is PostgreSQL: use pg_dump, as docs/operate.md says (Backup and restore).';

/** `POST /backup`: a copy of the embedded database at one moment. */
@OpsController('backup')
export class BackupController {
  constructor(
    private readonly database: Database,
    private readonly audit: OpsAudit,
  ) {}

  @Post()
  @HttpCode(200)
  async backup(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const copy = await this.audit.perform({ action: 'store.backup' }, operatorOf(request), async () => {
      const made = await this.database.backup();
      if (made) return made;
      throw new BffError('not_found', { detail: SERVER_TOOL });
    });
    await reply.type('application/octet-stream').send(copy);
  }
}
