import { Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { OpsController } from '../http/ops-controller.js';
import { Health, type Readiness } from '../telemetry/health.js';

/** `GET /livez` and `GET /readyz`: open on the ops listener, since probes carry no token. */
@OpsController()
export class HealthController {
  constructor(private readonly health: Health) {}

  /** The process answers; no dependency is checked. */
  @Get('livez')
  @RouteConfig({ open: true })
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Each dependency with its state; 503 when this replica should receive no traffic. */
  @Get('readyz')
  @RouteConfig({ open: true })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Omit<Readiness, 'ready'>> {
    const { status, ready, checks } = await this.health.readiness();
    reply.code(ready ? 200 : 503);
    return { status, checks };
  }
}
