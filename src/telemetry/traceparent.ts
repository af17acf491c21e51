const TRACEPARENT =
  /^00-(?!0{32})(?<traceId>[\da-f]{32})-(?!0{16})(?<parentId>[\da-f]{16})-(?<flags>[\da-f]{2})$/;

/** The contents of a `traceparent` header (W3C Trace Context, version 00), in lower-case hex as it came. */
type Traceparent = Readonly<Record<'traceId' | 'parentId' | 'flags', string>>;

/** Reads a `traceparent` header; undefined when there is none or it is not valid. */
export function readTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined;
  return TRACEPARENT.exec(header)?.groups as Traceparent | undefined;
}
