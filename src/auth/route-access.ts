import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { MACHINE_ROLE, type EndUser } from '../http/end-user.js';
import type {} from '../http/request-context.js';
import type {} from '../http/route-config.js';
import type { Authenticator } from './authenticator.js';

/** Largest body that is read from a caller without a valid token, on a route of access `optional-end-user`. */
const STRANGER_BODY_BYTES_MAX = 2_048;

/**
 * Puts every route registered from now on, Nest controllers included, behind one guard, and refuses to register a route
 * that does not declare who may call it. The guard runs before the body is read, and synchronously for a token that is
 * remembered. An unknown path is also refused before its body is read.
 */
export function guardRoutes(listener: FastifyInstance, authenticator: Authenticator): void {
  listener.addHook('onRoute', (route) => {
    const access = route.config?.access;
    if (access === undefined) {
      throw new Error(`route ${String(route.method)} ${route.url} declares no access`);
    }
  });
  listener.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) return done(new BffError('not_found'));
    const { access } = request.routeOptions.config;
    if (access === 'open') return done();
    const span = request.context.rootSpan?.child('authenticate');
    authenticate(authenticator, request, (fault) => {
      span?.end({}, fault !== undefined);
      done(access === 'optional-end-user' ? admitStranger(request, fault) : fault);
    });
  });
}

function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
  done: (fault?: Error) => void,
): void {
  const admit = (user: EndUser): void => {
    const { context } = request;
    context.user = user;
    if (user.isMachine) context.notes.roles = [MACHINE_ROLE];
    done();
  };
  try {
    const user = authenticator.authenticate(request.raw);
    if (user instanceof Promise) user.then(admit, done);
    else admit(user);
  } catch (error) {
    done(error as Error);
  }
}

/** Notes why there is no user. The refusal of a body that is declared too large remains, and so does a fault of ours. */
function admitStranger(request: FastifyRequest, fault: Error | undefined): Error | undefined {
  if (!(fault instanceof BffError)) return fault;
  request.context.userRefusal = fault;
  request.bodyBound = { bytesMax: STRANGER_BODY_BYTES_MAX, refusal: fault };
  return Number(request.headers['content-length'] ?? 0) > STRANGER_BODY_BYTES_MAX ? fault : undefined;
}
