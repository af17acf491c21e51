import type { FastifyReply } from 'fastify';

/**
 * The callers of a route: an authenticated end user; anyone, with the end user known where there is one; or anyone (the
 * route then authenticates by other means, or needs none).
 */
type RouteAccess = 'end-user' | 'optional-end-user' | 'open';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * From now on tells each caller to close its connection after the answer, so that no connection on which a request
     * could be lost is left when the listener closes.
     */
    readonly drain: () => void;
    /**
     * Resolves once the listener is closed and each of its requests has ended; `close` alone resolves a moment earlier.
     */
    readonly allEnded: () => Promise<void>;
  }
  interface FastifyContextConfig {
    /** Every route of a guarded listener declares it. */
    access?: RouteAccess;
    /** `Retry-After` of the route's answers while a store fails; 1 by default. */
    storeRetrySeconds?: number;
    /** Answers the errors of a controller's route, those before its handler included; problem+json by default. */
    sendError?: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  }
}
