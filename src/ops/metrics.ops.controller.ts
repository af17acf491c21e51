import { Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OpsController } from '../http/ops-controller.js';
import { Metrics } from '../telemetry/metrics.js';

/** `GET /metrics`: metrics in the Prometheus text form. */
@OpsController('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async expose(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.metrics.expose();
    await reply.type(contentType).send(text);
  }
}
