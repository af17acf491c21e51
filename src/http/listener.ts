import { randomUUIDv7 } from 'node:crypto';
import { createServer, type ServerOptions } from 'node:http';
import cors from '@fastify/cors';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { METHODS, refuseOtherMethods } from './other-methods.js';
import { sendProblem } from './problem.filter.js';
import type {} from './route-config.js';
import { Backlog } from '../telemetry/backlog.js';
import { logAsOf, type Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Tracing } from '../telemetry/tracing.js';
import { Connections } from './connections.js';
import { refuseBrokenRequest, STANDARD_HEADERS } from './broken-request.js';
import { closeUnread, readBody } from './request-body.js';
import { isUuid, RequestContext } from './request-context.js';

const HEADER_BYTES_MAX = 16_384;

const KEEP_ALIVE_TIMEOUT_MS = 72_000; // longer than the idle time of common load balancers
const CSV_BYTES_MAX = 10_485_760;
const CORS_MAX_AGE_SECONDS = 7_200;
const CALLER_GONE = 499; // as proxies log it; no server sends it
const OBSERVE_DELAY_MS = 100;
const OWN_BUCKETS_SECONDS = [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** How long a caller may take (contract, "Rules of all public routes"), in milliseconds. */
export interface RequestTimeouts {
  /** From the first byte, or the opening of the connection, to the end of the headers. */
  readonly headersMs: number;
  /** From the first byte of the headers to the last of the body. */
  readonly bodyMs: number;
  /** How often Node looks for requests that are late; its own default of 30 s would let them live as much longer. */
  readonly checkingMs: number;
  /** How long a caller may take nothing of an answer; longer than any deadline that a request waits for. */
  readonly stalledMs: number;
}

const TIMEOUTS: RequestTimeouts = {
  headersMs: 10_000,
  bodyMs: 30_000,
  checkingMs: 1_000,
  stalledMs: 180_000,
};

/** Observes each request when it has ended. */
export interface RequestObserver {
  /** @param status of the answer; 499 when the caller had gone before it was whole */
  observe(request: FastifyRequest, status: number): void;
  /** Counts a connection that was refused because `CONNECTIONS_MAX` were open. */
  refuseConnection(): void;
  /** Measures and logs what waits for it. */
  close(): void;
}

/**
 * A Fastify instance with the rules of all routes (contract, "Rules of all public routes"): bounded requests, JSON
 * bodies kept as raw bytes for the route to verify and parse, a request id, and the headers of every answer.
 */
export function createListener(
  config: Pick<Config, 'BODY_LIMIT_BYTES' | 'CONNECTIONS_MAX' | 'TRUST_PROXY' | 'TRUST_TRACE'>,
  observer: RequestObserver,
  timeouts = TIMEOUTS,
): FastifyInstance {
  const connections = new Connections();
  const begin = (request: FastifyRequest, reply: FastifyReply): void => {
    request.context = RequestContext.of(request, config.TRUST_TRACE);
    startAnswer(request, reply, observer);
  };
  const listener = fastify({
    bodyLimit: config.BODY_LIMIT_BYTES,
    trustProxy: config.TRUST_PROXY.length > 0 ? [...config.TRUST_PROXY] : false,
    genReqId: (req) => (isUuid(req.headers['x-request-id']) ? req.headers['x-request-id'] : randomUUIDv7()),
    requestIdHeader: false,
    logger: false,
    serverFactory: (handle) => createServer(serverOptions(timeouts), connections.bound(handle)),
    clientErrorHandler: refuseBrokenRequest,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4_096 },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      sendProblem(error, request, reply);
    },
  });
  listener.decorateRequest('context');
  listener.decorateRequest('bodyBudget', undefined);
  listener.removeAllContentTypeParsers();
  listener.addContentTypeParser('application/json', readBody);
  listener.addHook('preParsing', (request, _reply, _payload, done) => {
    done(request.is404 ? new BffError('not_found') : null); // before its body is read
  });
  listener.addHook('onSend', (request, reply, payload, done) => {
    closeUnread(request.raw, reply);
    done(null, payload);
  });
  listener.server.setTimeout(timeouts.stalledMs);
  listener.server.maxConnections = config.CONNECTIONS_MAX;
  listener.server.on('drop', () => observer.refuseConnection());
  connections.follow(listener.server);
  // An expectation that nobody knows may be ignored (RFC 9110 section 10.1.1); Node would answer without our headers.
  listener.server.on('checkExpectation', (...exchange) => listener.server.emit('request', ...exchange));
  listener.addHook('preClose', (done) => {
    connections.closeUnused();
    done();
  });
  listener.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  return listener;
}

function serverOptions({ headersMs, bodyMs, checkingMs }: RequestTimeouts): ServerOptions {
  return {
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: headersMs,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: checkingMs,
  };
}

/** Gives an answer its headers, and sees to the end of the request, however it ends. */
function startAnswer(request: FastifyRequest, reply: FastifyReply, observer: RequestObserver): void {
  reply.header('x-request-id', request.id).headers(STANDARD_HEADERS);
  // Node closes an answer once it is complete, and also when its caller has disconnected.
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) request.context.cancellation.cancel();
    observer.observe(request, endStatus(reply));
  });
}

/** Lets pages of exactly the listed origins call the routes; every other origin gets no CORS header. */
export async function allowOrigins(
  listener: FastifyInstance,
  origins: readonly string[],
  cookies: boolean,
): Promise<void> {
  if (origins.length === 0) return;
  await listener.register(cors, {
    origin: [...origins],
    credentials: cookies,
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Accept-Language',
      'X-Hirer-Id',
      'X-Request-Id',
      'X-Session-Id',
      'X-CSRF',
      'Last-Event-ID',
    ],
    exposedHeaders: [
      'X-Request-Id',
      'Retry-After',
      'Content-Language',
      'Content-Disposition',
      'X-Operation-Warnings',
    ],
    maxAge: CORS_MAX_AGE_SECONDS,
  });
}

/**
 * Answers 405 with `Allow` where an address exists but not for the method. Call it after all routes are registered
 * and `routes` has been filled by {@link collectRoutes}.
 */
export function refuseMethodsBeside(
  listener: FastifyInstance,
  routes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, methods] of [...routes]) listener.route(refuseOtherMethods(url, [...methods]));
}

/** Notes the methods of each address as routes are registered. */
export function collectRoutes(listener: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const routes = new Map<string, Set<string>>();
  listener.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    routes.set(url, methods);
  });
  return routes;
}

/** The status of an answer that is closed. */
function endStatus({ raw }: FastifyReply): number {
  return raw.writableFinished ? raw.statusCode : CALLER_GONE;
}

/** Whether something failed, rather than was refused: for being too much at once, too. */
function isFault({ status, code, cause }: BffError): boolean {
  return status >= 500 && (code !== 'unavailable' || cause !== undefined);
}

/** Takes CSV files too, as text, up to a size of their own. */
export function acceptCsv(listener: FastifyInstance): void {
  listener.addContentTypeParser(
    'text/csv',
    { parseAs: 'string', bodyLimit: CSV_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
}

/** Makes a span of each request, from its first byte to the end of its answer. */
export function traceRequests(listener: FastifyInstance, tracing: Tracing): void {
  listener.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request;
    const route = request.routeOptions.url ?? 'none';
    const span = (request.span = tracing.startRequest(`${method} ${route}`, headers));
    request.context.traceWith(span);
    reply.raw.on('close', () => {
      const status = endStatus(reply);
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'request.id': request.id,
      };
      span.end(attributes, status >= 500);
    });
    done();
  });
}

/**
 * Once `draining` is aborted, tells each caller to close its connection after the answer: by the time the listener
 * closes none is left on which a request could be lost.
 */
export function closeConnectionsWhile(draining: AbortSignal, listener: FastifyInstance): void {
  listener.addHook('onSend', (_request, reply, payload, done) => {
    if (draining.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** A request that has ended, as metrics and log have it. */
interface AnsweredRequest {
  readonly requestId: string;
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly elapsedMs: number;
  /** For upstream and issuer. */
  readonly waitedMs: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly refusal: BffError | undefined;
}

/** Measures and logs each request of a listener, a moment after it; a failure of ours is logged at once besides. */
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
    const { requestId, route, method, status, elapsedMs, waitedMs, at, refusal } = request;
    durations.observe({ route, method, status: String(status) }, elapsedMs / 1000);
    ownTimes.observe({ route }, Math.max(0, elapsedMs - waitedMs) / 1000);
    const ms = Math.round(elapsedMs);
    const why = refusal && { code: refusal.code, reason: refusal.reason, ...refusal.fields };
    logAsOf(at, () => log.info({ requestId, route, method, status, ms, ...why }, 'request'));
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
