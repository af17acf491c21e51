import type { RequestContext } from './request-context.js';

/**
 * Who may call a route: an authenticated end user; anyone, with the end user known where there is one; or anyone (the
 * route then authenticates by other means, or needs none).
 */
export type RouteAccess = 'end-user' | 'optional-end-user' | 'open';

/** What an audit record says was asked for. */
export type AuditedAction = 'token' | 'graphql' | 'attachment' | 'attachment-link';

declare module 'fastify' {
  interface FastifyInstance {
    /** Called at the end of every request but CORS preflights, however it ends. */
    readonly endHooks: ((request: FastifyRequest) => void)[];
    /** Resolves once the listener is closed and each of its requests has ended; `close` alone resolves a moment earlier. */
    readonly allEnded: () => Promise<void>;
  }
  interface FastifyContextConfig {
    /** Each request to the route leaves an audit record of this action, however it ends. */
    audit?: AuditedAction;
    /** Called at the end of each request to the route, however it ends; not for CORS preflights. */
    onEnd?: (context: RequestContext) => void;
    /** Every route of a guarded listener declares it. */
    access?: RouteAccess;
  }
}
