import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readTraceparent, type Span } from '../telemetry/tracing.js';
import { isUuid } from './header-values.js';

export type Party = 'upstream' | 'issuer' | 'dependency';

/** What of a request's headers its calls pass on (interface, Tracing requests and Content localisation). */
export class PassedHeaders {
  readonly sessionId: string | undefined;
  /** As it came; undefined when the caller sent none. Only what is asked for this user alone says it to the upstream. */
  readonly acceptLanguage: string | undefined;
  /** The caller's trace, for the log; the service links to it, or continues it. */
  readonly callerTraceId: string | undefined;
  private ownTraceId: string | undefined;
  private readonly traceFlags: string;
  private readonly tracestate: string | undefined;

  constructor(headers: IncomingHttpHeaders, trustTrace: boolean) {
    const { 'x-session-id': sessionId, traceparent, tracestate } = headers;
    this.sessionId = isUuid(sessionId) ? sessionId : undefined;
    this.acceptLanguage = headers['accept-language'];
    const trace = traceparent === undefined ? undefined : readTraceparent(traceparent);
    this.callerTraceId = trace?.traceId;
    const continued = trustTrace ? trace : undefined;
    this.ownTraceId = continued?.traceId;
    this.traceFlags = continued?.flags ?? '00';
    this.tracestate = continued && typeof tracestate === 'string' ? tracestate : undefined;
  }

  /** The trace that the calls are part of: 32 hex digits. */
  get traceId(): string {
    return (this.ownTraceId ??= randomUUID().replaceAll('-', ''));
  }

  /** Makes the calls part of a span's trace. */
  traceWith(span: Span): void {
    this.ownTraceId = readTraceparent(span.traceparent)?.traceId;
  }

  /** The operator's own dependencies learn the trace alone. */
  addTo(headers: Record<string, string>, party: Party, span: Span | undefined): void {
    headers['traceparent'] = span?.traceparent ?? `00-${this.traceId}-${newSpanId()}-${this.traceFlags}`;
    if (party === 'dependency') return;
    if (this.tracestate !== undefined) headers['tracestate'] = this.tracestate;
    if (this.sessionId !== undefined) headers['x-session-id'] = this.sessionId;
  }
}

/** 16 hex digits, never all zero. Node draws UUIDs from a pool, while `randomBytes` asks the system each time. */
function newSpanId(): string {
  return randomUUID().slice(19).replace('-', '');
}
