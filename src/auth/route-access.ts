import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import type { Authenticator } from './authenticator.js';
import type {} from '../ops/tracing.js';
import type { EndUser } from './end-user.js';

/** Who may call a route: an authenticated end user, or anyone (the route then authenticates by other means, or needs none). */
export type RouteAccess = 'end-user' | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route of a guarded listener declares it. */
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Set on every route of access `end-user` before its body is read. */
    endUser: EndUser | null;
  }
}

/**
 * Puts every route that is registered from now on, Nest controllers included, behind one guard, and refuses to
 * register a route that does not say who may call it. It runs before the body is read, and without a promise when the
 * token was verified a moment ago.
 */
export function guardRoutes(listener: FastifyInstance, authenticator: Authenticator): void {
  listener.decorateRequest('endUser', null);
  listener.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`route ${String(method)} ${url} declares no access`);
  });
  listener.addHook('onRequest', (request, _reply, done) => {
    const needsUser = !request.is404 && request.routeOptions.config.access !== 'open';
    if (!needsUser) return done();
    const span = request.span?.child('authenticate');
    authenticate(authenticator, request, (fault) => {
      span?.end({}, fault !== undefined);
      done(fault);
    });
  });
}

function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
  done: (fault?: Error) => void,
): void {
  const admit = (user: EndUser): void => {
    request.endUser = user;
    done();
  };
  try {
    const user = authenticator.authenticate(request.raw);
    if (user instanceof Promise) user.then(admit, done);
    else admit(user);
  } catch (fault) {
    done(fault as Error);
  }
}

/** The authenticated user of a route of access `end-user`. */
export function userOf(request: FastifyRequest): EndUser {
  if (request.endUser === null)
    throw new BffError('internal_error', { message: 'an open route asked for the end user' });
  return request.endUser;
}
