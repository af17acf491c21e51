import type { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { ExchangeFault } from '../outgoing/exchange.js';
import type { EndedRequest } from '../request-end.js';
import { isFault, requestMembers } from './request-line.js';

const TEN_MINUTES_MS = 600_000;
const OWN_BUCKETS_SECONDS = [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** Observes each request when it has ended. */
export interface RequestObserver {
  observe(request: EndedRequest): void;
  /** Logs the failure of a request, if it is one of ours, also one that comes after its caller has left. */
  observeFault(request: EndedRequest): void;
  /** Counts a connection that was refused because `CONNECTIONS_MAX` were open. */
  refuseConnection(): void;
}

/** Measures and logs each request of a listener; a failure of ours has a line of its own besides. */
export function observeRequests(log: Log, metrics: Metrics, conditions: Conditions): RequestObserver {
  const faults = new RollingCounts(TEN_MINUTES_MS);
  conditions.figure('internal-errors', () => {
    const { bad } = faults.read();
    return bad === 0 ? undefined : `${bad} request${bad === 1 ? '' : 's'}`;
  });
  const durations = metrics.duration(
    'bff_http_request_duration_seconds',
    'Time from a request to the end of its answer, by route pattern, method and status.',
    ['route', 'method', 'status'],
  );
  const ownTimes = metrics.duration(
    'bff_own_duration_seconds',
    'Time of a request that this service itself took: without waiting for upstream or issuer, by route pattern.',
    ['route'],
    OWN_BUCKETS_SECONDS,
  );
  const refusedConnections = metrics.counter(
    'bff_connections_refused_total',
    'Connections that were closed unread because CONNECTIONS_MAX were open.',
    [],
  );
  const observeFault = (request: EndedRequest): void => {
    const { failure } = request;
    if (!failure || isCancelled(request)) return;
    if (failure.code === 'internal_error') faults.add(true);
    if (!isFault(failure)) return;
    log.error({ ...requestMembers(request), code: failure.code, err: failure }, failure.message);
  };
  return {
    observeFault,
    observe(request) {
      const { route, method, status, elapsedMs, context } = request;
      durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
      ownTimes.observe({ route }, Math.max(0, elapsedMs - context.waitedMs) / 1000);
      observeFault(request);
      log.info(requestMembers(request), 'request');
    },
    refuseConnection: () => refusedConnections.inc({}),
  };
}

/** True if nothing failed but what was cancelled because the caller left. */
function isCancelled({ context, failure }: EndedRequest): boolean {
  const cause = failure?.cause;
  return context.cancellation.cancelled && cause instanceof ExchangeFault && cause.kind === 'aborted';
}
