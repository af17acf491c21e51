import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../config/load-config.js';

const TRACEPARENT =
  /^00-(?!0{32})(?<traceId>[\da-f]{32})-(?!0{16})(?<parentId>[\da-f]{16})-(?<flags>[\da-f]{2})$/;

/** Settings of traces. */
export type TracingConfig = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'TRACE_SAMPLE_PERCENT' | 'TRUST_TRACE'
>;

/** Attributes of a span: words and numbers, never an identifier of a person, a token or an address. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A request, or a call to another service within it. */
export interface Span {
  /** The header that makes a call part of it (W3C Trace Context). */
  readonly traceparent: string;
  /** Starts a call to another service within it. */
  child(name: string): Span;
  /** Ends it, with further attributes. */
  end(attributes?: SpanAttributes, failed?: boolean): void;
}

/** Where spans go. */
export interface Tracing {
  /**
   * Starts the span of a request that came in. The caller's trace is its parent with `TRUST_TRACE`, and a link
   * otherwise.
   */
  startRequest(name: string, headers: IncomingHttpHeaders): Span;
  /** Sends what is pending, and stops. */
  close(): Promise<void>;
}

/** The contents of a `traceparent` header (W3C Trace Context, version 00), in lower-case hex as it came. */
type Traceparent = Readonly<Record<'traceId' | 'parentId' | 'flags', string>>;

/** Reads a `traceparent` header; undefined when there is none or it is not valid. */
export function readTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined;
  return TRACEPARENT.exec(header)?.groups as Traceparent | undefined;
}
