import { randomUUIDv7 } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { OtlpTracing } from '../../telemetry/otlp-tracing.js';
import { isUuid, plainAddress } from '../header-values.js';
import { RequestContext } from '../request-context.js';
import { announceEnds, type EndListener } from '../request-end.js';
import { BoundedServer } from './bounded-server.js';
import type { Cors } from './cors.js';
import { refuseForeignHost, refuseHost } from './host-check.js';
import { refuseOtherMethods } from './other-methods.js';
import { refuseBrokenRequest, sendProblem, STANDARD_HEADERS } from './problem.filter.js';
import { bodyReader, closeUnread } from './request-body.js';

const HEADER_BYTES_MAX = 16_384;
/** Of a parameter in a path: the longest sealed link. Many servers in front take 8 KiB for the whole request line. */
export const LINK_CHARACTERS_MAX = 8_000;
const CALLER_GONE = 499; // as nginx logs it; it is never sent

/** How long a caller may take, in milliseconds. */
const TIMEOUTS = {
  /** From the first byte, or the opening of the connection, to the end of the headers. */
  headersMs: 10_000,
  /** From the first byte of the headers to the last of the body. */
  bodyMs: 30_000,
  /** How often Node checks for late requests; its default of 30 s would let them live that much longer. */
  checkingMs: 1_000,
  /** How long a caller may read nothing of an answer; longer than any deadline a request waits for. */
  stalledMs: 180_000,
};

type ListenerConfig = Pick<
  Config,
  'BODY_LIMIT_BYTES' | 'CONNECTIONS_MAX' | 'KEEP_ALIVE_SECONDS' | 'TRUST_PROXY' | 'TRUST_TRACE'
> &
  Partial<Pick<Config, 'playground' | 'PLAYGROUND_HOSTS'>>;

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on each answer tells its caller to close the connection, so that none is left when the listener closes. */
    readonly drain: () => void;
  }
}

interface ListenerOptions {
  readonly timeouts?: Readonly<typeof TIMEOUTS>;
  readonly tracing?: OtlpTracing | undefined;
  /** Which pages may call; none where it is left out. */
  readonly cors?: Cors | undefined;
}

/** A Fastify instance with the rules of all routes: bounded requests, bodies as bytes, ids, headers of each answer. */
// eslint-disable-next-line max-lines-per-function -- the rules of all requests, in the order in which they meet them
export function createListener(
  config: ListenerConfig,
  observe: EndListener,
  { timeouts = TIMEOUTS, tracing, cors }: ListenerOptions = {},
): FastifyInstance {
  let isDraining = false;
  const check = config.playground ? refuseForeignHost(config.PLAYGROUND_HOSTS ?? []) : refuseHost;
  const begin = (request: FastifyRequest, reply: FastifyReply): void => {
    const { id, headers, ip, method, routeOptions } = request;
    const context = new RequestContext(id, headers, ip && plainAddress(ip), config.TRUST_TRACE);
    request.context = context;
    context.method = methods.has(method) ? method : 'other';
    context.route = routeOptions.url ?? 'none';
    context.config = routeOptions.config;
    if (tracing) context.traceWith(tracing.startRequest(`${method} ${context.route}`, headers));
    const { raw } = reply.header('x-request-id', id).headers(STANDARD_HEADERS);
    // Node closes an answer once it is complete, and also when its caller has disconnected.
    raw.on('close', () => {
      if (!raw.writableFinished) context.cancellation.cancel();
      closeUnread(request.raw);
      announceEnd(context, raw.writableFinished ? raw.statusCode : CALLER_GONE);
    });
  };
  const listener = fastify({
    bodyLimit: config.BODY_LIMIT_BYTES,
    trustProxy: config.TRUST_PROXY.length > 0 ? [...config.TRUST_PROXY] : false,
    genReqId: (req) => (isUuid(req.headers['x-request-id']) ? req.headers['x-request-id'] : randomUUIDv7()),
    requestIdHeader: false,
    logger: false,
    serverFactory: (handle) => openServer(config, timeouts, handle),
    clientErrorHandler: refuseBrokenRequest,
    return503OnClosing: false,
    routerOptions: { maxParamLength: LINK_CHARACTERS_MAX },
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      sendProblem(check(request.raw) ?? error, request, reply);
    },
  });
  const methods = new Set(listener.supportedMethods);
  const announceEnd = announceEnds(listener, observe);
  refuseOtherMethods(listener);
  listener.decorate('drain', () => {
    isDraining = true;
  });
  listener.decorateRequest('context');
  listener.removeAllContentTypeParsers();
  listener.addContentTypeParser('application/json', bodyReader(config.BODY_LIMIT_BYTES));
  listener.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const fault = check(request.raw);
    if (fault || !cors?.answer(request, reply)) done(fault);
  });
  listener.addHook('preParsing', (request, _reply, _payload, done) => {
    done(request.is404 ? new BffError('not_found') : null); // after every guard, and before its body is read
  });
  listener.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  return listener;
}

function openServer(
  config: ListenerConfig,
  { headersMs, bodyMs, checkingMs, stalledMs }: typeof TIMEOUTS,
  handle: RequestListener,
): BoundedServer {
  const options = {
    keepAliveTimeout: config.KEEP_ALIVE_SECONDS * 1000,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // Node would answer without our headers
    headersTimeout: headersMs,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: checkingMs,
  };
  const server = new BoundedServer(options, handle).setTimeout(stalledMs);
  server.maxConnections = config.CONNECTIONS_MAX;
  return server;
}

/** Without a compiler named here, Fastify loads its own, more than a hundred modules, at each start. */
function noCompiler(): never {
  throw new Error('Routes have no schema: bodies are validated by their modules.');
}
