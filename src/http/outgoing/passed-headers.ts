import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { OtlpSpan } from '../../telemetry/otlp-tracing.js';
import type { RequestContext } from '../request-context.js';

/** Who is called: the operator's own dependencies are part of the request. */
export type Party = 'upstream' | 'issuer' | 'dependency';

/**
 * Adds what a request passes on, and an id, to the headers of a call, and returns the id (interface, Tracing requests).
 * The first call to the upstream has the request's own; one to the issuer serves other requests too; a dependency has
 * it always, and learns the trace alone besides.
 */
export function passHeaders(
  context: RequestContext,
  headers: Record<string, string>,
  party: Party,
  span: OtlpSpan | undefined,
): string {
  const { requestId, traceId, traceFlags, tracestate, sessionId, upstreamRequestIds } = context;
  headers['traceparent'] = span?.traceparent ?? `00-${traceId}-${newSpanId()}-${traceFlags}`;
  if (party === 'dependency') return (headers['x-request-id'] = requestId);
  if (tracestate !== undefined) headers['tracestate'] = tracestate;
  if (sessionId !== undefined) headers['x-session-id'] = sessionId;
  context.hasWaited = true;
  const isOwn = party === 'upstream' && !upstreamRequestIds.includes(requestId);
  const id = isOwn ? requestId : randomUUIDv7();
  upstreamRequestIds.push(id);
  return (headers['x-request-id'] = id);
}

/** 16 hex digits, never all zero. Node draws UUIDs from a pool, while `randomBytes` asks the system each time. */
function newSpanId(): string {
  return randomUUID().slice(19).replace('-', '');
}
