import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers without the ops token: the health routes, and files that hold no data. */
    open?: boolean;
    /** The route answers 401 without the token, but with a page that asks for it. */
    signIn?: boolean;
  }
  interface FastifyRequest {
    /** False where a route with `signIn` was asked for without the token. */
    signedIn: boolean;
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Asks every route of the ops listener for `OPS_TOKEN`, when there is one, but those of the health checks. Pages of
 * other sites are refused whatever they send: a browser on this machine reaches the listener too.
 */
export function requireOpsToken(listener: FastifyInstance, currentToken: () => string | undefined): void {
  listener.decorateRequest('signedIn', true);
  listener.addHook('onRequest', (request, reply, done) => {
    const token = currentToken();
    const { open, signIn } = request.routeOptions.config;
    if (isFromElsewhere(request, token === undefined)) {
      return done(
        new BffError('csrf_failed', { detail: 'The ops listener serves no page of another site.' }),
      );
    }
    if (open === true || token === undefined || holdsToken(request, token)) return done();
    if (signIn !== true) {
      return done(
        new BffError('unauthenticated', {
          detail: 'Send the ops token as "Authorization: Bearer <token>".',
        }),
      );
    }
    request.signedIn = false;
    reply.header('www-authenticate', 'Bearer');
    done();
  });
}

/** Another origin's page; or, while no token protects the listener, a name that someone pointed at this machine. */
function isFromElsewhere({ headers }: FastifyRequest, unprotected: boolean): boolean {
  const { host = '', origin } = headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host)) return true;
  return unprotected && !LOOPBACK.test(host);
}

function holdsToken({ headers }: FastifyRequest, token: string): boolean {
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

/** Digests have one length, so that the comparison tells nothing of the token's. */
function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
