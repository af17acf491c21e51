import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BffError } from '../../errors/bff-error.js';
import { Routes } from '../../http/routes.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { EventStreams } from './event-streams.js';

/**
 * `GET /events/stream`: server-sent events of the user's own hirers. It has no `HEAD`, which would open a stream without
 * a reader; a Nest controller cannot omit it.
 */
@Injectable()
export class EventStreamRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly streams: EventStreams,
    private readonly requestLimit: RequestLimit,
  ) {}

  onModuleInit(): void {
    /** Events of the user's own hirers, as they come in. */
    this.routes.add({
      method: 'GET',
      url: '/events/stream',
      exposeHeadRoute: false,
      config: { access: 'end-user' },
      handler: (request, reply) => this.answer(request, reply),
    });
    // an open stream would keep the listener from closing; browsers reconnect to another replica
    this.routes.listener.addHook('preClose', (done) => {
      this.streams.close();
      done();
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { endUser, cancellation } = request.context;
    if (endUser.isMachine) {
      throw new BffError('scope_forbidden', {
        detail: 'Machines cannot open event streams. Use EVENT_SINK_URL instead.',
      });
    }
    await this.requestLimit.admit(endUser);
    const lastEventId = request.headers['last-event-id'];
    const body = await this.streams.start(endUser, lastEventId?.toString());
    cancellation.onCancel(() => body.destroy());
    if (cancellation.cancelled) body.destroy();
    // neither a proxy in front nor what compresses answers may hold the stream back
    reply.header('x-accel-buffering', 'no').header('cache-control', 'no-store, no-transform');
    return reply.type('text/event-stream').send(body);
  }
}
