import type { RouteOptions } from 'fastify';
import { userOf } from '../../auth/route-access.js';
import { BffError } from '../../errors/bff-error.js';
import { sendProblem } from '../../http/problem.filter.js';
import type { RateLimit } from '../../storage/rate-limit.js';
import type { EventStreams } from './event-streams.js';

/**
 * `GET /events/stream`: server-sent events of the user's own hirers. It has no `HEAD`, which would open a stream that
 * nobody reads; a Nest controller cannot leave it out.
 */
export function eventStreamRoute(streams: EventStreams, limit: RateLimit): RouteOptions {
  return {
    method: 'GET',
    url: '/events/stream',
    exposeHeadRoute: false,
    config: { access: 'end-user' },
    handler: async (request, reply) => {
      const user = userOf(request);
      const retryAfterSeconds = await limit.take(user.userId);
      if (retryAfterSeconds !== undefined) throw new BffError('rate_limited', { retryAfterSeconds });
      const lastEventId = request.headers['last-event-id'];
      const body = await streams.start(user, lastEventId?.toString());
      reply.raw.once('close', () => body.destroy());
      if (reply.raw.destroyed) body.destroy();
      // a proxy in front must not collect the stream before it passes it on
      return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body);
    },
    errorHandler: sendProblem,
  };
}
