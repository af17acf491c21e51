import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import type { OtlpSpan } from '../telemetry/otlp-tracing.js';
import { readTraceparent } from '../telemetry/traceparent.js';
import type { EndUser, Member } from './end-user.js';
import { isUuid } from './header-values.js';

/** What modules learn about a request, for its audit record and the metrics. */
interface RequestNotes {
  hirerId?: string;
  roles?: readonly string[];
  scopesAsked?: readonly string[];
  scopesGranted?: readonly string[];
  /** Where the token or file came from. */
  source?: 'cache' | 'upstream';
  /** Names of the registered operations that were called; of other texts, the fields that they ask for. */
  operations?: readonly string[];
  /** Rules of interface 4.3 that its operations break. */
  warnings?: string;
  /** Of the browser token, epoch milliseconds. */
  expiresAt?: number;
  tokenHash?: string;
  /** The outcome of the request, or of each of its items, once it is decided. */
  outcomes?: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the listener's first hook. */
    context: RequestContext;
  }
}

/**
 * Cancels work whose result is no longer wanted: emits `abort`, once. What undici takes as a signal, without the event
 * targets of an AbortController. Look at {@link cancelled} for the past.
 */
export class Cancellation extends EventEmitter<{ abort: [] }> {
  cancelled = false;

  constructor() {
    super();
    this.setMaxListeners(0); // each call under way is one
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.emit('abort');
  }
}

/**
 * One request from first byte to last: who sent it, what its calls pass on (interface, Tracing requests and Content
 * localisation), how it is cancelled, and how it ended.
 */
export class RequestContext {
  /** Ids of the calls to upstream and issuer made so far, in order; the first to the upstream is the request's own. */
  readonly upstreamRequestIds: string[] = [];
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Pattern of the route; `none` for an unknown path. */
  route = 'none';
  /** Of the route. */
  config: Readonly<FastifyContextConfig> = {};
  /** `other` for a method that no route has. */
  method = 'GET';
  readonly sessionId: string | undefined;
  /** As it came; undefined when the caller sent none. Only what is asked for this user alone says it to the upstream. */
  readonly acceptLanguage: string | undefined;
  /** The trace that its calls are part of: 32 hex digits. */
  traceId: string;
  /** Of the trace that is continued, as {@link tracestate}. */
  readonly traceFlags: string;
  readonly tracestate: string | undefined;
  private ownCancellation: Cancellation | undefined;
  /** Set before the body is read, except on routes of access `open`. */
  user: EndUser | undefined;
  /** Why there is no user on a route of access `optional-end-user`. */
  userRefusal: BffError | undefined;
  /** Set by a proxied operation once the user was found to belong to the hirer. */
  member: Member | undefined;
  /** True once it waited for upstream, issuer or Redis: a membership that was found before may have ended since. */
  hasWaited = false;
  /** Until when upstream calls for a proxied operation may last, on the clock of {@link startedAt}. */
  deadline = Infinity;
  /** Why the request was refused or failed. */
  failure: BffError | undefined;
  /** Called for a failure that comes after the request has ended. */
  onLateFailure: ((ended: RequestContext) => void) | undefined;
  /** Of the answer; 499 when the caller disconnected before it was complete, and 0 until then. */
  status = 0;
  /** From first byte to last, once the request is over. */
  elapsedMs = 0;
  readonly notes: RequestNotes = {};
  /** Undefined while traces are off. */
  rootSpan: OtlpSpan | undefined;

  /** @param trustTrace continues the trace of the caller rather than linking it; background work has no `address` */
  constructor(
    readonly requestId: string,
    headers: IncomingHttpHeaders = {},
    readonly address?: string,
    trustTrace = false,
  ) {
    const { 'x-session-id': sessionId, traceparent, tracestate } = headers;
    this.sessionId = isUuid(sessionId) ? sessionId : undefined;
    this.acceptLanguage = headers['accept-language'];
    const trace = trustTrace ? readTraceparent(traceparent) : undefined;
    this.traceId = trace?.traceId ?? randomUUID().replaceAll('-', '');
    this.traceFlags = trace?.flags ?? '00';
    this.tracestate = trace && tracestate?.toString();
  }

  static background(): RequestContext {
    return new RequestContext(randomUUIDv7());
  }

  /** Fires when the caller disconnects before the answer is complete. */
  get cancellation(): Cancellation {
    return (this.ownCancellation ??= new Cancellation());
  }

  /** The user of a route of access `end-user`. */
  get endUser(): EndUser {
    if (this.user) return this.user;
    throw new BffError('internal_error', { message: 'an open route asked for the end user' });
  }

  /** Records why the request is refused or has failed, also after its end. */
  fail(failure: BffError): void {
    this.failure = failure;
    this.onLateFailure?.(this);
  }

  /** The outcome of each item, as noted, or else one outcome for the whole request. */
  get outcomes(): readonly string[] {
    if (this.notes.outcomes) return this.notes.outcomes;
    return [this.cancellation.cancelled ? 'cancelled' : (this.failure?.code ?? 'ok')];
  }

  /** Makes `span` that of the request: the spans of its calls are its children. */
  traceWith(span: OtlpSpan): void {
    this.rootSpan = span;
    this.traceId = readTraceparent(span.traceparent)?.traceId ?? this.traceId;
  }
}
