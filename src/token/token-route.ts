import type { FastifyRequest, RouteOptions } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { sendProblem, type FailureListener } from '../errors/problem.filter.js';
import { toBffError } from '../errors/to-bff-error.js';
import { RequestContext } from '../upstream/request-context.js';
import type { TokenIssuance } from './token-issuance.js';

/**
 * `POST /auth/token`, registered on the listener itself: a Nest controller would cost a fifth of the whole request
 * (ADR 0004). Access is checked by the same guard as every other route.
 */
export function tokenRoute(
  issuance: TokenIssuance,
  onFailure: FailureListener,
  trustTrace: boolean,
): RouteOptions {
  const handled = new WeakSet<FastifyRequest>();
  return {
    method: 'POST',
    url: '/auth/token',
    config: { access: 'end-user' },
    handler: (request) => {
      handled.add(request);
      return issuance.issue(userOf(request), request.body, RequestContext.of(request, trustTrace));
    },
    errorHandler: (thrown, request, reply) => {
      const error = toBffError(thrown);
      if (!handled.has(request))
        issuance.refuse(error, request.endUser, RequestContext.of(request, trustTrace));
      sendProblem(error, request, reply, onFailure);
    },
  };
}
