import { Controller, Get, HttpCode, Inject, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ReloadReport } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';
import { parseJsonObject } from '../errors/parse-json.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { type Log, LOG } from '../telemetry/log.js';
import { opsActionOf } from '../http/ops-action.js';
import { SecretRotation } from './secret-rotation.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** What the person on call can change about the running process; each change leaves an audit record. */
@Controller()
export class AdministrationController {
  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(AuditTrail) private readonly audit: AuditTrail,
    @Inject(SecretRotation) private readonly rotation: SecretRotation,
  ) {}

  /** `POST /secrets/reload`: reads the secrets' files again, as SIGHUP does. */
  @Post('secrets/reload')
  @HttpCode(200)
  reloadSecrets(@Req() request: FastifyRequest): ReloadReport {
    return this.rotation.run(opsActionOf(request));
  }

  /** `GET /log-level`. */
  @Get('log-level')
  logLevel(): { level: string } {
    return { level: this.log.level };
  }

  /** `PUT /log-level {"level": "debug"}`: until the next start; of this replica alone. */
  @Put('log-level')
  setLogLevel(@Req() request: FastifyRequest): { level: string } {
    const { level } = parseJsonObject(request.body);
    if (typeof level !== 'string' || !LEVELS.includes(level)) {
      throw new BffError('invalid_request', {
        errors: [{ field: 'level', message: `must be one of ${LEVELS.join(', ')}` }],
      });
    }
    this.log.level = level;
    const by = opsActionOf(request);
    this.audit.record({ ...by, time: Date.now(), action: 'log.level', outcome: 'ok', subject: level });
    return { level };
  }
}
