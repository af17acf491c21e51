import type { FastifyRequest } from 'fastify';
import type { BffError } from '../errors/bff-error.js';
import { Backlog } from '../telemetry/backlog.js';
import { logAsOf, writeInfo, type Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import { METHODS } from './other-methods.js';
import type {} from './request-context.js';

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

/** What metrics and log report of a request that has ended. */
interface AnsweredRequest {
  readonly requestId: string;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly elapsedMs: number;
  /** Time it waited for upstream and issuer. */
  readonly waitedMs: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly refusal: BffError | undefined;
}

/** Measures and logs each request of a listener a moment after its end; a failure of ours is also logged at once. */
export function observeRequests(log: Log, metrics: Metrics): RequestObserver {
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
    const { route, method, status, elapsedMs, waitedMs } = request;
    durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
    ownTimes.observe({ route }, Math.max(0, elapsedMs - waitedMs) / 1000);
    logRequest(log, request);
  }, OBSERVE_DELAY_MS);
  metrics.beforeRead(() => answered.clear());
  return {
    observe(request, status) {
      const { failure, startedAt, waitedMs } = request.context;
      const isOurs = failure !== undefined && isFault(failure);
      if (isOurs) log.error({ requestId: request.id, code: failure.code, err: failure }, failure.message);
      answered.add({
        requestId: request.id,
        route: request.routeOptions.url ?? 'none',
        method: (METHODS as readonly string[]).includes(request.method) ? request.method : 'other',
        status,
        elapsedMs: performance.now() - startedAt,
        waitedMs,
        at: Date.now(),
        refusal: isOurs ? undefined : failure,
      });
    },
    refuseConnection: () => refusedConnections.inc({}),
    close: () => answered.clear(),
  };
}

/** The line of an ordinary request is put together here; ids are UUIDs and methods words, which need no escape. */
function logRequest(log: Log, request: AnsweredRequest): void {
  const { requestId, route, method, status, elapsedMs, at, refusal } = request;
  const ms = Math.round(elapsedMs);
  if (refusal === undefined) {
    const members = `"requestId":"${requestId}","route":${JSON.stringify(route)},"method":"${method}","status":${status},"ms":${ms}`;
    writeInfo(log, at, members, 'request');
    return;
  }
  const { code, reason, fields } = refusal;
  logAsOf(at, () => log.info({ requestId, route, method, status, ms, code, reason, ...fields }, 'request'));
}

/** Whether something failed, rather than being refused; overload is a refusal. */
function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}
