import { Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { Conditions, type ConditionView } from '../telemetry/conditions/conditions.js';
import { Health, type Readiness } from '../telemetry/health.js';
import { Metrics } from '../telemetry/metrics.js';

interface ReadinessAnswer extends Omit<Readiness, 'ready'> {
  readonly conditions: readonly ConditionView[];
}

/** Routes for monitoring. `GET /livez` and `GET /readyz` are open on the ops listener, since probes carry no token. */
@OpsController()
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly conditions: Conditions,
    private readonly metrics: Metrics,
  ) {}

  /** `GET /livez`: 200 while the process runs. */
  @Get('livez')
  @RouteConfig({ open: true })
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** `GET /readyz`: each dependency with its state, and the active conditions. 503 if this replica should get no traffic. */
  @Get('readyz')
  @RouteConfig({ open: true })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessAnswer> {
    const { status, ready, checks } = await this.health.readiness();
    reply.code(ready ? 200 : 503);
    return { status, checks, conditions: this.conditions.active() };
  }

  /**
   * `GET /conditions`: everything that can be wrong, the active ones first, with `name`, `severity`, `active`, `since`,
   * `endedAt`, `culprit`, `summary`, `action` and `runbook`.
   */
  @Get('conditions')
  listConditions(): { items: readonly ConditionView[] } {
    return { items: this.conditions.list() };
  }

  /** `GET /metrics`: metrics, as Prometheus text. */
  @Get('metrics')
  async expose(@Res() reply: FastifyReply): Promise<void> {
    const { registry } = this.metrics;
    await reply.type(registry.contentType).send(await registry.metrics());
  }
}
