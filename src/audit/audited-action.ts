import type { EndedRequest } from '../http/request-end.js';

/** What the audit record of a request says was asked for. */
export type AuditedAction = 'token' | 'graphql' | 'attachment' | 'attachment-link';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Each request to the route leaves an audit record of this action, however it ends; so do its other methods. */
    audit?: AuditedAction;
  }
}

/** What a request asked for; undefined where the route declares no `audit`, and for a CORS preflight. */
export function auditedAction({ config, isPreflight }: EndedRequest): AuditedAction | undefined {
  return isPreflight ? undefined : config.audit;
}
