const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** The contents of a `traceparent` header (W3C Trace Context, version 00), in lower-case hex as it came. */
export interface Traceparent {
  readonly traceId: string;
  readonly parentId: string;
  readonly flags: string;
}

/** Reads a `traceparent` header; undefined when there is none or it is not valid. */
export function readTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, parentId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined;
  return { traceId, parentId, flags };
}
