import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { within } from '../concurrency/within.js';
import type { Config } from '../config/load-config.js';
import { VERSION } from '../config/version.js';
import { SERVICE, type Log } from './log.js';
import { readTraceparent } from './traceparent.js';

const TRACER_NAME = 'partner-bff';
const CLOSE_MS = 5_000;
const REFUSED =
  'the collector does not take traces, which are lost until it does: check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS';

/** Settings of traces. */
export type TracingConfig = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'TRACE_SAMPLE_PERCENT' | 'TRUST_TRACE'
>;

/** Attributes of a span: words and numbers, never an identifier of a person, a token or an address. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/**
 * Sends spans to a collector by OTLP over HTTP, in batches off the request path. What the settings table does not hold,
 * the SDK reads from the environment itself. Refused spans are lost.
 */
export class OtlpTracing {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  /** @param endpoint `OTEL_EXPORTER_OTLP_ENDPOINT`: base address, to which the path of traces is added */
  constructor(
    endpoint: URL,
    private readonly config: TracingConfig,
    log: Pick<Log, 'info' | 'warn'>,
  ) {
    const otlp = new OTLPTraceExporter({
      url: `${endpoint.href.replace(/\/$/, '')}/v1/traces`,
      headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS },
    });
    const exporter = reportLosses(otlp, log);
    const root = new TraceIdRatioBasedSampler(config.TRACE_SAMPLE_PERCENT / 100);
    const self = {
      'service.name': SERVICE,
      'service.version': VERSION,
      'service.instance.id': hostname(),
    };
    this.provider = new TracerProvider({
      resource: resourceFromAttributes(self).merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    this.tracer = this.provider.getTracer(TRACER_NAME);
  }

  /** Starts the span of a request. The caller's trace is its parent with `TRUST_TRACE`, and a link otherwise. */
  startRequest(name: string, headers: IncomingHttpHeaders): OtlpSpan {
    const caller = readCaller(headers['traceparent']);
    const trusted = caller && this.config.TRUST_TRACE;
    const context = trusted ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT;
    const links = caller && !trusted ? [{ context: caller }] : [];
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, links }, context);
    return new OtlpSpan(this.tracer, span);
  }

  /** Sends what is pending, and stops. */
  async close(): Promise<void> {
    const sent = this.provider.shutdown().catch(() => undefined);
    await within(CLOSE_MS, sent); // a collector that is down must not delay the shutdown
  }
}

/** Logs the first batch that the collector does not take, and the first that it takes again. */
function reportLosses(otlp: SpanExporter, log: Pick<Log, 'info' | 'warn'>): SpanExporter {
  let isFailing = false;
  const judge = (error: (Error & { code?: number | string }) | undefined): void => {
    if ((error !== undefined) === isFailing) return;
    isFailing = error !== undefined;
    if (!error) log.info('the collector accepts traces again');
    else log.warn({ reason: `${error.code ?? error.message}` }, REFUSED);
  };
  return {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        judge(result.error);
        done(result);
      }),
    forceFlush: async () => otlp.forceFlush?.(),
    shutdown: () => otlp.shutdown(),
  };
}

/** A request, or a call to another service within it. */
export class OtlpSpan {
  private readonly context: Context;

  constructor(
    private readonly tracer: Tracer,
    private readonly span: OtelSpan,
  ) {
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  /** The header that makes a call part of it (W3C Trace Context). */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  }

  /** Starts a call to another service within it. */
  child(name: string): OtlpSpan {
    return new OtlpSpan(this.tracer, this.tracer.startSpan(name, { kind: SpanKind.CLIENT }, this.context));
  }

  /** Ends it, with further attributes. */
  end(attributes: SpanAttributes = {}, failed = false): void {
    this.span.setAttributes(attributes);
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

function readCaller(header: unknown): SpanContext | undefined {
  const caller = readTraceparent(header);
  if (!caller) return undefined;
  const { traceId, parentId: spanId, flags } = caller;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}
