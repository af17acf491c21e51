import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { BffError } from '../errors/bff-error.js';
import type { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import { METHODS } from './incoming/other-methods.js';
import { ExchangeFault } from './outgoing/exchange.js';
import type { RequestContext } from './request-context.js';

/** A request that is over: its answer is complete, or its caller has disconnected. */
export interface EndedRequest {
  readonly context: RequestContext;
  /** Pattern of the route; `none` for an unknown path. */
  readonly route: string;
  readonly config: Readonly<FastifyContextConfig>;
  /** `other` for a method that no route has. */
  readonly method: string;
  /** Of the answer; 499 when the caller disconnected before it was complete. */
  readonly status: number;
  /** True if CORS answered in place of the route: the caller has asked for nothing yet. */
  readonly isPreflight: boolean;
  /** Why it was refused or failed, as far as it was known by then. */
  readonly failure: BffError | undefined;
  readonly elapsedMs: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Called at the end of each request; must not throw. */
export type EndListener = (ended: EndedRequest) => void;

export type RequestObserver = ReturnType<typeof observeRequests>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls `listener` once for each request, however it ends; with `route`, for that path alone, preflights aside. */
    readonly onEnd: (listener: EndListener, route?: string) => void;
    /** Records why a request is refused or has failed, also after its end. */
    readonly fail: (request: FastifyRequest, failure: BffError) => void;
  }
}

/** Gives a listener its `onEnd` and `fail`, and returns what announces an end. */
export function announceEnds(
  server: FastifyInstance,
  { observe, observeFault }: RequestObserver,
): (request: FastifyRequest, status: number) => void {
  const listeners: EndListener[] = [observe];
  server.decorate('onEnd', (listener, route) => {
    const ofRoute: EndListener = (ended) => {
      if (ended.route === route && !ended.isPreflight) listener(ended);
    };
    listeners.push(route === undefined ? listener : ofRoute);
  });
  server.decorate('fail', (request, failure) => {
    const { context } = request;
    context.failure = failure;
    if (context.endedWith !== undefined) observeFault(endOf(request, context.endedWith));
  });
  return (request, status) => {
    const ended = endOf(request, status);
    for (const listener of listeners) listener(ended);
    ended.context.endedWith = status;
  };
}

export function endOf({ context, method, routeOptions }: FastifyRequest, status: number): EndedRequest {
  const { failure } = context;
  return {
    context,
    route: routeOptions.url ?? 'none',
    config: routeOptions.config,
    method: (METHODS as readonly string[]).includes(method) ? method : 'other',
    status,
    isPreflight: method === 'OPTIONS' && failure === undefined, // every other OPTIONS request is refused
    failure,
    elapsedMs: performance.now() - context.startedAt,
    at: Date.now(),
  };
}

const FAULTS_MS = 600_000;

/** Measures, logs and traces each request of a listener; a failure of ours has a line of its own besides. */
export function observeRequests(log: Log, metrics: Metrics, conditions: Conditions) {
  const faults = new RollingCounts(FAULTS_MS);
  conditions.figure('internal-errors', () => {
    const { bad } = faults.read();
    return bad === 0 ? undefined : `${bad} request${bad === 1 ? '' : 's'}`;
  });
  const durations = metrics.duration(
    'bff_http_request_duration_seconds',
    'Requests on both listeners, to the end of the answer. Status 499 is a client that disconnected before it.',
    ['route', 'method', 'status'],
  );
  const upstreamLimits = metrics.counter(
    'bff_upstream_limits_total',
    "Requests that failed with rate_limited because of the upstream's limit, each item of an array by itself.",
    ['route'],
  );
  const refusedConnections = metrics.counter(
    'bff_connections_refused_total',
    'Connections closed unread because CONNECTIONS_MAX were open.',
    [],
  );
  const observeFault = (ended: EndedRequest): void => {
    const { failure } = ended;
    if (!failure || isCancelled(ended)) return;
    if (failure.code === 'internal_error') faults.add(true);
    if (!isFault(failure)) return;
    log.error({ ...lineOf(ended), code: failure.code, err: failure }, failure.message);
  };
  return {
    /** Logs a failure of ours, also one that comes after the caller has left. */
    observeFault,
    observe: (ended: EndedRequest): void => {
      const { route, method, status, elapsedMs, context, failure } = ended;
      durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
      const isLimit = failure?.isUpstreamLimit === true && !context.isCancelled;
      const limits = context.notes.upstreamLimits ?? Number(isLimit);
      if (limits > 0) upstreamLimits.inc({ route }, limits);
      observeFault(ended);
      log.info(lineOf(ended), 'request');
      context.rootSpan?.end(attributesOf(ended), status >= 500);
    },
    refuseConnection: (): void => refusedConnections.inc({}),
  };
}

/** True if nothing failed but what was cancelled because the caller left. */
function isCancelled({ context, failure }: EndedRequest): boolean {
  const cause = failure?.cause;
  return context.isCancelled && cause instanceof ExchangeFault && cause.kind === 'aborted';
}

/** True if something failed, rather than being refused; overload is a refusal. */
function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}

function lineOf({ context, route, method, status, elapsedMs, failure }: EndedRequest): object {
  const { requestId, passed, user, notes, upstreamRequestIds } = context;
  const { traceId, callerTraceId } = passed;
  return {
    requestId,
    traceId,
    route,
    method,
    status,
    ms: Math.round(elapsedMs),
    user: user?.userId,
    hirerId: notes.hirerId,
    upstreamRequestIds: upstreamRequestIds.length === 0 ? undefined : upstreamRequestIds,
    callerTraceId: callerTraceId === traceId ? undefined : callerTraceId, // unless it is continued
    ...(failure &&
      !isFault(failure) && { code: failure.code, reason: failure.reason, ...failure.details.fields }),
  };
}

function attributesOf({ context, method, route, status }: EndedRequest): Record<string, string | number> {
  return {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'request.id': context.requestId,
  };
}
