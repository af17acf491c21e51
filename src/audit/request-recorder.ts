import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { clip } from '../errors/bff-error.js';
import type { ListenersAdapter } from '../http/incoming/listeners-adapter.js';
import type { RequestContext } from '../http/request-context.js';
import type { AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

/** The action that the audit record of a request names. */
type AuditedAction = 'token' | 'graphql' | 'attachment' | 'attachment-link';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Each request to the route leaves an audit record of this action, however it ends; so do its other methods. */
    audit?: AuditedAction;
  }
}

/** Outcomes of what was granted, or passed on to the upstream. */
const GRANTED: ReadonlySet<string> = new Set(['ok', 'issued', 'errors']);
/** A refused request may name anything: this much of it is recorded. */
const REFUSED_NAMES_MAX = 10;
const REFUSED_NAME_CHARACTERS_MAX = 100;

/**
 * Records each request to a route that declares `audit`, however it ends: answered, refused before its body was read,
 * of another method, or cancelled by its caller.
 */
@Injectable()
export class RequestRecorder {
  constructor({ httpAdapter }: HttpAdapterHost<ListenersAdapter>, audit: AuditTrail) {
    httpAdapter.publicListener.onEnd((context) => {
      const action = context.config.audit;
      if (!action) return;
      const record = recordOf(action, context);
      if (!context.user) audit.recordRefusal({ ...record, ...strangerOf(context) });
      else if (isRefused(context)) audit.recordRefusal(shorten(record));
      else audit.record(record);
    });
  }
}

/** True if nothing was granted, and the upstream has heard nothing of the request. */
function isRefused({ outcomes, notes, upstreamRequestIds }: RequestContext): boolean {
  const isSilent = notes.source === undefined && upstreamRequestIds.length === 0;
  return isSilent && !outcomes.some((outcome) => GRANTED.has(outcome));
}

function shorten(record: AuditRecord): AuditRecord {
  const { scopesAsked, operations } = record;
  return { ...record, scopesAsked: shortNames(scopesAsked), operations: shortNames(operations) };
}

function shortNames(names: readonly string[] | undefined): readonly string[] | undefined {
  return names?.slice(0, REFUSED_NAMES_MAX).map((name) => clip(name, REFUSED_NAME_CHARACTERS_MAX));
}

function recordOf(action: AuditedAction, context: RequestContext): AuditRecord {
  const { notes, outcomes } = context;
  const { hirerId, roles, scopesAsked, scopesGranted, operations, expiresAt, tokenHash } = notes;
  return {
    time: Date.now(),
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
    ms: Math.round(context.elapsedMs),
    upstreamRequestId: context.upstreamRequestIds.at(-1),
    operations,
    expiresAt,
    tokenHash,
  };
}

/** The details of a caller without a valid user, as far as known. */
function strangerOf({ failure, address }: RequestContext): Partial<AuditRecord> {
  const { kid, alg } = failure?.details.fields ?? {};
  return { reason: failure?.reason, kid, alg, address };
}
