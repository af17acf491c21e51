import type { RouteOptions } from 'fastify';
import { userOf } from '../auth/route-access.js';
import { refuseOtherMethods } from '../http/other-methods.js';
import { sendProblem } from '../http/problem.filter.js';
import type { TokenIssuance } from './token-issuance.js';

const URL_PATH = '/auth/token';

/**
 * `POST /auth/token`, registered on the listener itself: a Nest controller was measured to cost a sixth more
 * (ADR 0004). Access is checked by the same guard as every other route.
 */
export function tokenRoutes(issuance: TokenIssuance): RouteOptions[] {
  const shared = {
    errorHandler: sendProblem,
    config: { access: 'end-user', audit: 'token', onEnd: (context) => issuance.count(context) },
  } satisfies Pick<RouteOptions, 'config' | 'errorHandler'>;
  const post: RouteOptions = {
    ...shared,
    method: 'POST',
    url: URL_PATH,
    handler: (request) => issuance.issue(userOf(request), request.body, request.context),
  };
  return [post, refuseOtherMethods(URL_PATH, ['POST'], shared)];
}
