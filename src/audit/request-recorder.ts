import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import type { RequestContext } from '../http/request-context.js';
import type { AuditedAction } from '../http/route-config.js';
import { Routes } from '../http/routes.js';
import type { AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

/**
 * Records each request to a route that declares `audit`, however it ends: answered, refused before its body was read,
 * of another method, or cancelled by its caller.
 */
@Injectable()
export class RequestRecorder {
  constructor(routes: Routes, audit: AuditTrail, @Default() now: () => number = Date.now) {
    routes.onEnd(({ context, routeOptions }) => {
      const action = routeOptions.config?.audit;
      if (action) audit.record(recordOf(action, context, now()));
    });
  }
}

function recordOf(action: AuditedAction, context: RequestContext, time: number): AuditRecord {
  const { notes, outcomes } = context;
  const { hirerId, roles, scopesAsked, scopesGranted, operations, expiresAt, tokenHash } = notes;
  return {
    time,
    requestId: context.requestId,
    sessionId: context.sessionId,
    action,
    user: context.user?.userId,
    hirerId,
    roles,
    scopesAsked,
    scopesGranted,
    outcome: outcomes.every((outcome) => outcome === outcomes[0]) ? outcomes[0]! : 'mixed',
    source: notes.source ?? 'none',
    upstreamRequestId: context.upstreamRequestIds.at(-1),
    operations,
    expiresAt,
    tokenHash,
    ...(!context.user && strangerOf(context)),
  };
}

/** What is known of a caller without a valid user. */
function strangerOf({ failure, address }: RequestContext): Partial<AuditRecord> {
  return { reason: failure?.reason, kid: failure?.fields?.['kid'], alg: failure?.fields?.['alg'], address };
}
