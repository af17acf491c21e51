import { Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import type { RequestContext } from '../http/request-context.js';
import type { AuditedAction } from '../http/route-config.js';
import { Routes } from '../http/routes.js';
import type { AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

/**
 * Records each request to a route that declares `audit`, however it ends: answered, refused before its body was read,
 * of another method, or abandoned by its caller. It is part of the route rather than a hook of the request: a hook of
 * another module that refuses a request would keep a later one from running.
 */
@Injectable()
export class RequestRecorder {
  constructor(routes: Routes, audit: AuditTrail, @Default() now: () => number = Date.now) {
    const recorders = new WeakSet<(context: RequestContext) => void>();
    routes.listener.addHook('onRoute', (route) => {
      const { audit: action, onEnd } = route.config ?? {};
      if (!action || (onEnd && recorders.has(onEnd))) return; // the HEAD of a GET has its configuration
      const record = (context: RequestContext): void => {
        onEnd?.(context);
        audit.record(recordOf(action, context, now()));
      };
      recorders.add(record);
      route.config = { ...route.config, onEnd: record };
    });
  }
}

function recordOf(action: AuditedAction, context: RequestContext, time: number): AuditRecord {
  const { notes, outcomes, user } = context;
  const { hirerId, roles, scopesAsked, scopesGranted, operations, expiresAt, tokenHash } = notes;
  return {
    time,
    requestId: context.requestId,
    sessionId: context.sessionId,
    action,
    user: user?.userId,
    hirerId,
    roles,
    scopesAsked,
    scopesGranted,
    outcome: outcomes.length === 1 || new Set(outcomes).size === 1 ? outcomes[0]! : 'mixed',
    source: notes.source ?? 'none',
    upstreamRequestId: context.upstreamRequestIds.at(-1),
    operations,
    expiresAt,
    tokenHash,
    reason: user ? undefined : context.failure?.reason,
    address: user ? undefined : context.address,
  };
}
