import type { RouteOptions } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { refuseOtherMethods } from '../http/other-methods.js';
import { sendProblem } from '../http/problem.filter.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { TokenIssuance } from './token-issuance.js';

const URL_PATH = '/auth/token';

/**
 * `POST /auth/token`, registered on the listener itself: a Nest controller was measured to cost a sixth more
 * (ADR 0004). Access is checked by the same guard as every other route.
 */
export function tokenRoutes(issuance: TokenIssuance): RouteOptions[] {
  // Reached only by a request that failed before its handler: not authenticated, or its body could not be read.
  const errorHandler: RouteOptions['errorHandler'] = (thrown, request, reply) => {
    issuance.refuse(toBffError(thrown), request.endUser, request.context);
    sendProblem(thrown, request, reply);
  };
  const post: RouteOptions = {
    method: 'POST',
    url: URL_PATH,
    config: { access: 'end-user' },
    handler: async (request, reply) => {
      try {
        return await issuance.issue(userOf(request), request.body, request.context);
      } catch (thrown) {
        sendProblem(thrown, request, reply);
        return reply;
      }
    },
    errorHandler,
  };
  return [post, refuseOtherMethods(URL_PATH, ['POST'], errorHandler)];
}
