import type { FastifyRequest, RouteOptions } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { sendProblem, type FailureListener } from '../errors/problem.filter.js';
import { RequestContext } from '../upstream/request-context.js';
import type { Attachments } from './attachments.js';
import { cancelledWhenGone } from './graphql-route.js';

/** A file may be a page with a script: where a browser shows it, it runs nothing and belongs to no site. */
const HARMLESS = "sandbox; default-src 'none'";

/** `GET` and `HEAD /attachments/{sealed}`. */
export function attachmentRoute(
  attachments: Attachments,
  onFailure: FailureListener,
  trustTrace: boolean,
): RouteOptions {
  return {
    method: ['GET', 'HEAD'],
    url: '/attachments/:sealed',
    config: { access: 'end-user' },
    handler: async (request, reply) => {
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      const cancellation = cancelledWhenGone(reply);
      try {
        const { headers, body } = await attachments.fetch({
          user: userOf(request),
          sealed: (request as FastifyRequest<{ Params: { sealed: string } }>).params.sealed,
          method,
          context: RequestContext.of(request, trustTrace),
          cancellation,
        });
        reply.headers(headers).header('content-security-policy', HARMLESS);
        if (method === 'GET') return await reply.send(body);
        body.resume();
        return await reply.send();
      } catch (fault) {
        if (!cancellation.cancelled) throw fault;
        return reply.hijack();
      }
    },
    errorHandler: (thrown, request, reply) => sendProblem(thrown, request, reply, onFailure),
  };
}
