import { Controller, Get, Headers, Inject, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { BffError } from '../errors/bff-error.js';
import type { RateLimit } from '../storage/rate-limit.js';
import { REQUEST_LIMIT } from '../token/request-limit.js';
import { EventStreams } from './event-streams.js';

/** `GET /events/stream`: server-sent events of the user's own hirers. */
@Controller('events')
export class EventStreamController {
  constructor(
    @Inject(EventStreams) private readonly streams: EventStreams,
    @Inject(REQUEST_LIMIT) private readonly limit: RateLimit,
  ) {}

  @Get('stream')
  @RouteConfig({ access: 'end-user' })
  async stream(
    @Req() request: FastifyRequest,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const user = userOf(request);
    const retryAfterSeconds = await this.limit.take(user.userId);
    if (retryAfterSeconds !== undefined) throw new BffError('rate_limited', { retryAfterSeconds });
    const body = await this.streams.start(user, lastEventId);
    // a proxy in front must not collect the stream before it passes it on
    await reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body);
  }
}
