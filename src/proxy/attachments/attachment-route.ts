import type { FastifyRequest, RouteOptions } from 'fastify';
import { userOf } from '../../auth/route-access.js';
import { refuseOtherMethods } from '../../http/other-methods.js';
import { sendProblem } from '../../http/problem.filter.js';
import type { Attachments } from './attachments.js';

const URL_PATH = '/attachments/:sealed';
const METHODS = ['GET', 'HEAD'];
/** A file may be a page with a script: where a browser shows it, it runs nothing and belongs to no site. */
const HARMLESS = "sandbox; default-src 'none'";

/** `GET` and `HEAD /attachments/{sealed}`. */
export function attachmentRoutes(attachments: Attachments): RouteOptions[] {
  const shared = {
    errorHandler: sendProblem,
    config: { access: 'end-user', audit: 'attachment' },
  } satisfies Pick<RouteOptions, 'config' | 'errorHandler'>;
  const fetch: RouteOptions = {
    ...shared,
    method: METHODS,
    url: URL_PATH,
    handler: async (request, reply) => {
      const { context } = request;
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      try {
        const { headers, body } = await attachments.fetch({
          user: userOf(request),
          sealed: (request as FastifyRequest<{ Params: { sealed: string } }>).params.sealed,
          method,
          context,
          response: reply.raw,
        });
        reply.headers(headers).header('content-security-policy', HARMLESS);
        if (method === 'GET') return await reply.send(body);
        body.resume();
        return await reply.send();
      } catch (error) {
        if (context.cancellation.cancelled) return reply.hijack();
        throw error;
      }
    },
  };
  return [fetch, refuseOtherMethods(URL_PATH, METHODS, shared)];
}
