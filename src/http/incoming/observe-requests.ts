import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';
import type { BffError } from '../../errors/bff-error.js';
import { Backlog } from '../../telemetry/backlog.js';
import { writeInfo, type Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { METHODS } from './other-methods.js';
import { requestMembers, type AnsweredRequest } from './request-line.js';

const OBSERVE_DELAY_MS = 100;
const OWN_BUCKETS_SECONDS = [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** Observes each request when it has ended. */
export interface RequestObserver {
  /** @param status of the answer; 499 when the caller disconnected before it was complete */
  observe(request: FastifyRequest, status: number): void;
  /** Counts a connection that was refused because `CONNECTIONS_MAX` were open. */
  refuseConnection(): void;
  /** Measures and logs the requests that are still waiting for it. */
  close(): void;
}

/** Measures and logs each request of a listener a moment after its end; a failure of ours is also logged at once. */
export function observeRequests(
  log: Log,
  metrics: Metrics,
  { LOG_CLIENT_ADDRESS: withAddress }: Pick<Config, 'LOG_CLIENT_ADDRESS'>,
): RequestObserver {
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
  const answered = new Backlog((request: AnsweredRequest) => {
    const { route, method, status, elapsedMs, context } = request;
    durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
    ownTimes.observe({ route }, Math.max(0, elapsedMs - context.waitedMs) / 1000);
    writeInfo(log, request.at, requestMembers(request, withAddress), 'request');
  }, OBSERVE_DELAY_MS);
  metrics.beforeRead(() => answered.clear());
  return {
    observe(request, status) {
      const { context } = request;
      const { failure } = context;
      const isOurs = failure !== undefined && isFault(failure);
      const ended: AnsweredRequest = {
        context,
        route: request.routeOptions.url ?? 'none',
        method: (METHODS as readonly string[]).includes(request.method) ? request.method : 'other',
        status,
        elapsedMs: performance.now() - context.startedAt,
        at: Date.now(),
        refusal: isOurs ? undefined : failure,
      };
      if (isOurs) logFailure(log, failure, requestMembers(ended, withAddress));
      answered.add(ended);
    },
    refuseConnection: () => refusedConnections.inc({}),
    close: () => answered.clear(),
  };
}

/** @param members of the request's own line */
function logFailure(log: Log, failure: BffError, members: string): void {
  const fields = JSON.parse(`{${members}}`) as object;
  log.error({ ...fields, code: failure.code, err: failure }, failure.message);
}

/** Whether something failed, rather than being refused; overload is a refusal. */
function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}
