import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Config } from '../../config/load-config.js';
import { isLoopbackHost } from '../../config/values/url-forms.js';
import { BffError } from '../../errors/bff-error.js';
import type { Health } from '../../telemetry/health.js';
import type { OtlpTracing } from '../../telemetry/otlp-tracing.js';
import { isRepeated, isUuid, plainAddress } from '../header-values.js';
import { RequestContext } from '../request-context.js';
import { announceEnds, type EndListener } from '../request-end.js';
import { BoundedServer } from './bounded-server.js';
import type { Cors } from './cors.js';
import { refuseBrokenRequest, sendProblem, STANDARD_HEADERS } from './problem.filter.js';
import { bodyReader, closeUnread } from './request-body.js';

const HEADER_BYTES_MAX = 16_384;
/** Of a parameter in a path: the longest sealed link. Many servers in front take 8 KiB for the whole request line. */
export const LINK_CHARACTERS_MAX = 8_000;
const CALLER_GONE = 499; // as nginx logs it; it is never sent
const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[\da-z._-]+)(?::\d{1,5})?$/;

/** How long a caller may take, in milliseconds, mostly by Node's names. */
const TIMEOUTS = {
  /** From the first byte, or the opening of the connection, to the end of the headers. */
  headersTimeout: 10_000,
  /** From the first byte of the headers to the last of the body. */
  requestTimeout: 30_000,
  /** How often Node checks for late requests; its default of 30 s would let them live that much longer. */
  connectionsCheckingInterval: 1_000,
  /** How long a caller may read nothing of an answer; longer than any deadline a request waits for. */
  stalledMs: 180_000,
};

type ListenerConfig = Pick<
  Config,
  'BODY_LIMIT_BYTES' | 'CONNECTIONS_MAX' | 'KEEP_ALIVE_SECONDS' | 'TRUST_PROXY' | 'TRUST_TRACE'
> &
  Partial<Pick<Config, 'playground' | 'PLAYGROUND_HOSTS'>>;

interface ListenerOptions {
  readonly timeouts?: Readonly<typeof TIMEOUTS>;
  readonly tracing?: OtlpTracing | undefined;
  /** Which pages may call; none where it is left out. */
  readonly cors?: Cors | undefined;
  /** Once it drains, each answer tells its caller to close the connection, so that none is left at the end. */
  readonly health?: Pick<Health, 'isDraining'>;
}

/** A Fastify instance with the rules of all routes: bounded requests, bodies as bytes, ids, headers of each answer. */
// eslint-disable-next-line max-lines-per-function -- the rules of all requests, in the order in which they meet them
export function createListener(
  config: ListenerConfig,
  observe: EndListener,
  { timeouts = TIMEOUTS, tracing, cors, health }: ListenerOptions = {},
): FastifyInstance {
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
    if (health?.isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  return listener;
}

function openServer(
  config: ListenerConfig,
  { stalledMs, ...timeouts }: typeof TIMEOUTS,
  handle: RequestListener,
): BoundedServer {
  const options = {
    ...timeouts,
    keepAliveTimeout: config.KEEP_ALIVE_SECONDS * 1000,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // Node would answer without our headers
  };
  const server = new BoundedServer(options, handle).setTimeout(stalledMs);
  server.maxConnections = config.CONNECTIONS_MAX;
  return server;
}

/** Without a compiler named here, Fastify loads its own, more than a hundred modules, at each start. */
function noCompiler(): never {
  throw new Error('Routes have no schema: bodies are validated by their modules.');
}

/** Refuses what does not name one host (RFC 9112 section 3.2), which HTTP/1.0 need not. */
function refuseHost({ headers, httpVersion, rawHeaders }: IncomingMessage): BffError | undefined {
  const isMissing = headers.host === undefined && httpVersion !== '1.0';
  if (!isMissing && !isRepeated('host', rawHeaders)) return undefined;
  return new BffError('invalid_request', { errors: [{ field: 'Host', message: 'must be given once' }] });
}

/**
 * Refuses requests for another host than this machine, as those of a web page are that had its own name resolved to it
 * (DNS rebinding): in playground mode nothing else keeps it out. `listed` are further names and addresses, without a
 * port.
 */
function refuseForeignHost(listed: readonly string[]): typeof refuseHost {
  const names = new Set(listed.map((name) => name.toLowerCase()));
  return ({ headers: { host = '' }, rawHeaders, url = '' }) => {
    const isOurs = namesLoopback(host) || names.has(nameIn(host) ?? '');
    const isPlain = !isRepeated('host', rawHeaders) && url.startsWith('/');
    return isOurs && isPlain ? undefined : new BffError('misdirected_request');
  };
}

/** True if a `Host` is a loopback address, or a name that browsers resolve to one (RFC 6761 section 6.3). */
export function namesLoopback(host: string): boolean {
  const name = nameIn(host);
  if (name === undefined || URL.parse(`http://${name}`)?.hostname !== name) return false;
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

function nameIn(host: string): string | undefined {
  return NAME_AND_PORT.exec(host.toLowerCase())?.[1];
}

/** Answers 405 with `Allow` where an address has other methods (RFC 9110 section 15.5.6), in the form of its own routes. */
function refuseOtherMethods(listener: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  listener.addHook('onRoute', (route) => void routes.push(route));
  // a plugin is loaded when all routes are registered
  listener.register((plugin, _options, done) => {
    for (const [url, own] of Map.groupBy([...routes], (route) => route.url)) {
      const methods = new Set(own.flatMap(({ method }) => method));
      const { audit, sendError } = own[0]!.config ?? {};
      const allow = [...methods].sort().join(', ');
      const detail = `This address accepts ${allow} only.`; // pages of other origins cannot read Allow
      plugin.route({
        method: listener.supportedMethods.filter((method) => !methods.has(method)),
        url,
        // nothing else holds for them: what opens a route to some does not open its other methods
        config: { access: 'open', ...(audit && { audit }), ...(sendError && { sendError }) },
        // before the body is read, since the caller is not authenticated
        onRequest: (_request, _reply, refuse) =>
          refuse(new BffError('method_not_allowed', { allow, detail })),
        handler: () => undefined, // never reached
      });
    }
    done();
  });
}
