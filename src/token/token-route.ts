import type { RouteOptions } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { refuseOtherMethods } from '../errors/other-methods.js';
import { sendProblem, type FailureListener } from '../errors/problem.filter.js';
import { toBffError } from '../errors/to-bff-error.js';
import { RequestContext } from '../http/request-context.js';
import type { TokenIssuance } from './token-issuance.js';

const URL_PATH = '/auth/token';

/**
 * `POST /auth/token`, registered on the listener itself: a Nest controller was measured to cost a sixth more
 * (ADR 0004). Access is checked by the same guard as every other route.
 */
export function tokenRoutes(
  issuance: TokenIssuance,
  onFailure: FailureListener,
  trustTrace: boolean,
): RouteOptions[] {
  // Reached only by a request that failed before its handler: not authenticated, or its body could not be read.
  const errorHandler: RouteOptions['errorHandler'] = (thrown, request, reply) => {
    issuance.refuse(toBffError(thrown), request.endUser, RequestContext.of(request, trustTrace));
    sendProblem(thrown, request, reply, onFailure);
  };
  const post: RouteOptions = {
    method: 'POST',
    url: URL_PATH,
    config: { access: 'end-user' },
    handler: async (request, reply) => {
      try {
        const context = RequestContext.of(request, trustTrace);
        return await issuance.issue(userOf(request), request.body, context);
      } catch (thrown) {
        sendProblem(thrown, request, reply, onFailure);
        return reply;
      }
    },
    errorHandler,
  };
  return [post, refuseOtherMethods(URL_PATH, ['POST'], errorHandler)];
}
