import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Whether a header's value is a UUID, the one form of identifier that is passed on. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/; // W3C Trace Context, version 00

/** What a caller may tell us about itself. */
export interface CallerHeaders {
  readonly sessionId?: unknown;
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
  readonly acceptLanguage?: string | undefined;
}

/** What a context is made of; a Fastify request is one. */
export interface IncomingRequest {
  /** The request's id, a UUID. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
}

/** The identity of one request of ours, and of the upstream calls made for it (interface, Tracing requests). */
export class RequestContext {
  /** Ids of the upstream calls made so far, in order; the first is the request's own. */
  readonly upstreamRequestIds: string[] = [];
  readonly sessionId: string | undefined;
  /** As it came; undefined when the caller sent none (interface, Content localisation). */
  readonly acceptLanguage: string | undefined;
  /** The caller's trace, to link to. */
  readonly callerTraceId: string | undefined;
  private traceId: string | undefined;
  private readonly traceFlags: string;
  private readonly tracestate: string | undefined;

  /** @param trustTrace whether the caller's trace is continued rather than linked */
  constructor(
    readonly requestId: string,
    caller: CallerHeaders = {},
    trustTrace = false,
  ) {
    this.sessionId = isUuid(caller.sessionId) ? caller.sessionId : undefined;
    this.acceptLanguage = caller.acceptLanguage;
    const trace = typeof caller.traceparent === 'string' ? TRACEPARENT.exec(caller.traceparent) : null;
    this.callerTraceId = trace?.[1];
    const continued = trustTrace ? trace : null;
    this.traceId = continued?.[1];
    this.traceFlags = continued?.[3] ?? '00';
    this.tracestate = continued && typeof caller.tracestate === 'string' ? caller.tracestate : undefined;
  }

  /** The context of a request that came in. */
  static of({ id, headers }: IncomingRequest, trustTrace: boolean): RequestContext {
    return new RequestContext(
      id,
      {
        sessionId: headers['x-session-id'],
        traceparent: headers['traceparent'],
        tracestate: headers['tracestate'],
        acceptLanguage: headers['accept-language'],
      },
      trustTrace,
    );
  }

  /** A context for work that no caller asked for. */
  static background(): RequestContext {
    return new RequestContext(randomUUID());
  }

  /** The tracing headers of the next upstream call. */
  nextCall(): Record<string, string> {
    const id = this.upstreamRequestIds.length === 0 ? this.requestId : randomUUID();
    this.upstreamRequestIds.push(id);
    this.traceId ??= randomBytes(16).toString('hex');
    return {
      'x-request-id': id,
      traceparent: `00-${this.traceId}-${randomBytes(8).toString('hex')}-${this.traceFlags}`,
      ...(this.tracestate !== undefined && { tracestate: this.tracestate }),
      ...(this.sessionId !== undefined && { 'x-session-id': this.sessionId }),
    };
  }
}
