import type { FastifyInstance } from 'fastify';
import type { BffError } from '../errors/bff-error.js';
import type { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import { ExchangeFault } from './outgoing/exchange.js';
import type { RequestContext } from './request-context.js';

/** Called once a request is over: its answer is complete, or its caller has disconnected. Must not throw. */
export type EndListener = (ended: RequestContext) => void;

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls `listener` once for each request but CORS preflights, however it ends; with `route`, for that path alone. */
    readonly onEnd: (listener: EndListener, route?: string) => void;
  }
}

/** Gives a listener its `onEnd`, and returns what announces an end with its status: to `observe` first, whatever ended. */
export function announceEnds(
  server: FastifyInstance,
  observe: EndListener,
): (context: RequestContext, status: number) => void {
  const listeners: EndListener[] = [];
  server.decorate('onEnd', (listener, route) => {
    listeners.push(route === undefined ? listener : (ended) => ended.route === route && listener(ended));
  });
  return (context, status) => {
    context.status = status;
    context.elapsedMs = performance.now() - context.startedAt;
    observe(context);
    // every other OPTIONS request is refused; who sent a preflight has asked for nothing yet
    if (context.method === 'OPTIONS' && !context.failure) return;
    for (const listener of listeners) listener(context);
  };
}

const FAULTS_MS = 600_000;

/** Measures, logs and traces each request of a listener; a failure of ours has a line of its own besides. */
export function observeRequests(log: Log, metrics: Metrics, conditions: Conditions): EndListener {
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
  const reportFault = (ended: RequestContext): void => {
    const { failure } = ended;
    if (!failure || !isFault(failure)) return;
    if (failure.cause instanceof ExchangeFault && failure.cause.kind === 'aborted') return; // its caller left
    if (failure.code === 'internal_error') faults.add(true);
    log.error({ ...lineOf(ended), code: failure.code, err: failure }, failure.message);
  };
  return (ended) => {
    const { requestId, route, method, status, elapsedMs, rootSpan } = ended;
    durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
    reportFault(ended);
    ended.onLateFailure = reportFault;
    log.info(lineOf(ended), 'request');
    rootSpan?.end(
      {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'request.id': requestId,
      },
      status >= 500,
    );
  };
}

/** True if something failed, rather than being refused; overload is a refusal. */
function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}

function lineOf(ended: RequestContext): object {
  const { requestId, traceId, route, method, status, elapsedMs, failure } = ended;
  const { user, notes, upstreamRequestIds } = ended;
  return {
    requestId,
    traceId,
    route,
    method,
    status,
    ms: Math.round(elapsedMs),
    user: user?.userId,
    hirerId: notes.hirerId,
    warnings: notes.warnings,
    upstreamRequestIds: upstreamRequestIds.length === 0 ? undefined : upstreamRequestIds,
    ...(failure &&
      !isFault(failure) && { code: failure.code, reason: failure.reason, ...failure.details.fields }),
  };
}
