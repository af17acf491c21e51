/**
 * The callers of a route: an authenticated end user; anyone, with the end user known where there is one; or anyone (the
 * route then authenticates by other means, or needs none).
 */
type RouteAccess = 'end-user' | 'optional-end-user' | 'open';

declare module 'fastify' {
  interface FastifyInstance {
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
  }
}
