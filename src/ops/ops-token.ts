import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { BffError } from '../errors/bff-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers without the ops token: the health routes alone. */
    open?: boolean;
  }
}

/** Asks every route of the ops listener for `OPS_TOKEN`, when there is one, but those of the health checks. */
export function requireOpsToken(listener: FastifyInstance, currentToken: () => string | undefined): void {
  listener.addHook('onRequest', (request, _reply, done) => {
    const token = currentToken();
    if (token === undefined) return done();
    const expected = digest(`Bearer ${token}`);
    const given = digest(request.headers.authorization ?? '');
    const admitted = request.routeOptions.config?.open === true || timingSafeEqual(given, expected);
    done(
      admitted
        ? undefined
        : new BffError('unauthenticated', {
            detail: 'Send the ops token as "Authorization: Bearer <token>".',
          }),
    );
  });
}

/** Digests have one length, so that the comparison tells nothing of the token's. */
function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
