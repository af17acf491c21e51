import type { EndedRequest } from '../http/request-end.js';

/** The action that the audit record of a request names. */
export type AuditedAction = 'token' | 'graphql' | 'attachment' | 'attachment-link';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Each request to the route leaves an audit record of this action, however it ends; so do its other methods. */
    audit?: AuditedAction;
  }
}

/** The action of a request; undefined where the route declares no `audit`, and for a CORS preflight. */
export function auditedAction({ config, isPreflight }: EndedRequest): AuditedAction | undefined {
  return isPreflight ? undefined : config.audit;
}
