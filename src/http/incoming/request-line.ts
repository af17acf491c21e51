import type { BffError } from '../../errors/bff-error.js';
import type { EndedRequest } from '../request-end.js';

/** The members of a request's log line. */
export function requestMembers({ context, route, method, status, elapsedMs, failure }: EndedRequest): object {
  const { requestId, traceId, user, notes, upstreamRequestIds, callerTraceId } = context;
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
    ...(failure && !isFault(failure) && { code: failure.code, reason: failure.reason, ...failure.fields }),
  };
}

/** True if something failed, rather than being refused; overload is a refusal. A fault has a log line of its own. */
export function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}
