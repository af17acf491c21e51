import { Get, HttpCode, Inject, Post, Put, Req } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OpsAudit } from '../audit/ops-audit.js';
import type { ReloadReport } from '../config/secrets.js';
import { parseJsonObject } from '../json/parse-json.js';
import { validate } from '../errors/validate.js';
import { operatorOf } from '../http/operator.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { LOG, type Log } from '../telemetry/log.js';
import { SecretRotation } from './secret-rotation.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

class LogLevelBody {
  @IsIn(LEVELS, { message: `must be one of ${LEVELS.join(', ')}` })
  level!: (typeof LEVELS)[number];
}

/** Changes that an operator can make in the running process; each change leaves an audit record. */
@OpsController()
export class AdministrationController {
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly audit: OpsAudit,
    private readonly rotation: SecretRotation,
  ) {}

  /** `POST /secrets/reload`: reads the secret files again, as SIGHUP does: `{changed, refused}`. */
  @Post('secrets/reload')
  @HttpCode(200)
  reloadSecrets(@Req() request: FastifyRequest): ReloadReport {
    return this.rotation.run(operatorOf(request));
  }

  /** `GET /log-level`: the log level of this replica. */
  @Get('log-level')
  logLevel(): { level: string } {
    return { level: this.log.level };
  }

  /** `PUT /log-level {"level": "debug"}`: sets the log level of this replica, until its next start. */
  @Put('log-level')
  setLogLevel(@Req() request: FastifyRequest): Promise<{ level: string }> {
    const { level } = validate(LogLevelBody, parseJsonObject(request.body));
    return this.audit.perform({ action: 'log.level', subject: level }, operatorOf(request), () => {
      this.log.level = level;
      return { level };
    });
  }
}
