import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type {} from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { readTraceparent, type Span } from '../telemetry/tracing.js';
import { Cancellation } from './cancellation.js';
import type { EndUser, Member } from './end-user.js';

/** True if a header's value is a UUID, the one form of identifier that is passed on. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/**
 * True if a request has a header several times: Node keeps the first of some, a proxy in front may look at the last.
 * @param name in lower case
 * @param rawHeaders names and values in turn, as Node gives them
 */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** An IPv4 address as such, where a listener of both kinds has it IPv4-mapped (RFC 4291 section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

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
  /** Of the browser token, epoch milliseconds. */
  expiresAt?: number;
  tokenHash?: string;
  /** The outcome of the request, or of each of its items, once it is decided. */
  outcomes?: readonly string[];
  /** How many of its items the upstream's own limit refused. */
  upstreamLimits?: number;
}

/** Whom a call goes to. */
export type Party = 'upstream' | 'issuer' | 'dependency';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the listener's first hook. */
    context: RequestContext;
  }
}

/**
 * One request from its first byte to the end of its answer: its identity and that of the upstream calls made for it
 * (interface, Tracing requests), how it is cancelled, and how it failed.
 */
export class RequestContext {
  /** Ids of the calls to upstream and issuer made so far, in order; the first to the upstream is the request's own. */
  readonly upstreamRequestIds: string[] = [];
  readonly sessionId: string | undefined;
  /** As it came; undefined when the caller sent none (interface, Content localisation). */
  readonly acceptLanguage: string | undefined;
  /** The caller's trace, for the log; the service links to it, or continues it. */
  readonly callerTraceId: string | undefined;
  private ownTraceId: string | undefined;
  private readonly traceFlags: string;
  private readonly tracestate: string | undefined;
  /** On the clock of `performance.now()`. */
  readonly startedAt = performance.now();
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
  /** The status that it ended with, see `EndedRequest`. */
  endedWith: number | undefined;
  readonly notes: RequestNotes = {};
  /** Undefined while traces are off. */
  rootSpan: Span | undefined;

  /**
   * @param requestId a UUID
   * @param headers in which a caller describes itself
   * @param address IP address of the caller; undefined for background work
   * @param trustTrace whether the caller's trace is continued rather than linked
   */
  constructor(
    readonly requestId: string,
    headers: IncomingHttpHeaders = {},
    readonly address?: string,
    trustTrace = false,
  ) {
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

  /** Fires when the caller disconnects before the answer is complete. */
  get cancellation(): Cancellation {
    return (this.ownCancellation ??= new Cancellation());
  }

  get isCancelled(): boolean {
    return this.ownCancellation?.cancelled ?? false;
  }

  /** The user of a route of access `end-user`. */
  get endUser(): EndUser {
    if (this.user) return this.user;
    throw new BffError('internal_error', { message: 'an open route asked for the end user' });
  }

  /** The outcome of each item, as noted, or else one outcome for the whole request. */
  get outcomes(): readonly string[] {
    if (this.notes.outcomes) return this.notes.outcomes;
    return [this.isCancelled ? 'cancelled' : (this.failure?.code ?? 'ok')];
  }

  /** The trace that upstream calls are part of: 32 hex digits. */
  get traceId(): string {
    return (this.ownTraceId ??= randomUUID().replaceAll('-', ''));
  }

  /** Makes `span` that of the request: the spans of its calls are its children. */
  traceWith(span: Span): void {
    this.rootSpan = span;
    this.ownTraceId = readTraceparent(span.traceparent)?.traceId;
  }

  /** For background work. */
  static background(): RequestContext {
    return new RequestContext(randomUUIDv7());
  }

  /**
   * Adds the tracing headers of a call.
   * @param party the first call to the upstream has the request's own id; one to the issuer serves other requests too. A
   *   dependency of the operator's own is part of the request
   * @param span of the call, where traces are on
   * @returns its id
   */
  identify(headers: Record<string, string>, party: Party, span: Span | undefined): string {
    headers['traceparent'] = span?.traceparent ?? `00-${this.traceId}-${newSpanId()}-${this.traceFlags}`;
    if (party === 'dependency') return (headers['x-request-id'] = this.requestId);
    this.hasWaited = true;
    const isOwn = party === 'upstream' && !this.upstreamRequestIds.includes(this.requestId);
    const id = isOwn ? this.requestId : randomUUIDv7();
    this.upstreamRequestIds.push(id);
    headers['x-request-id'] = id;
    if (this.tracestate !== undefined) headers['tracestate'] = this.tracestate;
    if (this.sessionId !== undefined) headers['x-session-id'] = this.sessionId;
    return id;
  }
}

/** 16 hex digits, never all zero. Node draws UUIDs from a pool, while `randomBytes` asks the system each time. */
function newSpanId(): string {
  return randomUUID().slice(19).replace('-', '');
}
