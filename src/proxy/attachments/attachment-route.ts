import type { FastifyRequest, RouteOptions } from 'fastify';
import { userOf } from '../../auth/route-access.js';
import { refuseOtherMethods } from '../../http/other-methods.js';
import { sendProblem } from '../../http/problem.filter.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type { Attachments } from './attachments.js';

const URL_PATH = '/attachments/:sealed';
const METHODS = ['GET', 'HEAD'];
/** A file may be a page with a script: where a browser shows it, it runs nothing and belongs to no site. */
const HARMLESS = "sandbox; default-src 'none'";

/** `GET` and `HEAD /attachments/{sealed}`. */
export function attachmentRoutes(attachments: Attachments): RouteOptions[] {
  // Reached only by a request that failed before its handler.
  const errorHandler: RouteOptions['errorHandler'] = (thrown, request, reply) => {
    attachments.refuse(toBffError(thrown), request.endUser, request.context);
    sendProblem(thrown, request, reply);
  };
  const fetch: RouteOptions = {
    method: METHODS,
    url: URL_PATH,
    config: { access: 'end-user' },
    handler: async (request, reply) => {
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      const { context } = request;
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
      } catch (fault) {
        if (context.cancellation.cancelled) return reply.hijack();
        sendProblem(fault, request, reply);
        return reply;
      }
    },
    errorHandler,
  };
  return [fetch, refuseOtherMethods(URL_PATH, METHODS, errorHandler)];
}
