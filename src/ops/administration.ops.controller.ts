import { Get, HttpCode, Inject, Post, Put, Req } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OpsAudit } from '../audit/ops-audit.js';
import type { ReloadReport } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';
import { parseJsonObject } from '../json/parse-json-object.js';
import { validate } from '../errors/validate.js';
import { operatorOf, type Operator } from '../http/operator.js';
import { OpsController } from '../http/ops-controller.js';
import { LOG, type Log } from '../telemetry/log.js';
import { question } from '../workers/questions.js';
import { Workers, type Question } from '../workers/workers.js';
import { SecretRotation } from './secret-rotation.js';

const LOG_LEVEL = question<string, string>('log level');
const SECRETS = question<Operator, ReloadReport>('secrets');

const SILENT =
  'A worker does not answer, and may not have made the change. Ask again, or restart the service.';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

class LogLevelBody {
  @IsIn(LEVELS, { message: `must be one of ${LEVELS.join(', ')}` })
  level!: (typeof LEVELS)[number];
}

/** Changes that an operator can make in the running processes; each change leaves an audit record. */
@OpsController()
export class AdministrationController {
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly audit: OpsAudit,
    rotation: SecretRotation,
    private readonly workers: Workers,
  ) {
    workers.answer(SECRETS, (by) => rotation.run(by));
    workers.answer(LOG_LEVEL, (level) => (log.level = level));
  }

  /** `POST /secrets/reload`: reads the secret files again, as SIGHUP does. */
  @Post('secrets/reload')
  @HttpCode(200)
  async reloadSecrets(@Req() request: FastifyRequest): Promise<ReloadReport> {
    const answers = await this.askAll(SECRETS, operatorOf(request));
    return answers[0]!; // all read the same files
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
    return this.audit.perform({ action: 'log.level', subject: level }, operatorOf(request), async () => {
      await this.askAll(LOG_LEVEL, level);
      return { level };
    });
  }

  /** @throws BffError `unavailable` where a worker may have kept what it had; the others have changed it */
  private async askAll<Argument, Answer>(
    question: Question<Argument, Answer>,
    argument: Argument,
  ): Promise<readonly Answer[]> {
    const { answers, silent } = await this.workers.ask(question, argument);
    if (silent.length > 0) throw new BffError('unavailable', { detail: SILENT });
    return answers;
  }
}
