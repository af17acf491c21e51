import { createServer, type Server } from 'node:http';
import { createSecureServer, Http2ServerRequest } from 'node:http2';
import { isIPv6, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Background } from '../background.js';
import { spoil } from '../faults/apply-fault.js';
import type { State } from '../playground-state.js';
import type { TlsMaterial } from './certificate.js';
import type { OwnHosts } from './own-hosts.js';
import { parseJson, readContentType, refusal } from './route.js';
import { sentenceOf } from './body-schemas.js';

/** The options of a listener. */
export interface ListenerParts {
  readonly name: 'issuer' | 'upstream';
  readonly host: string;
  /** Requests for others are refused. */
  readonly hosts: OwnHosts;
  readonly port: number;
  readonly tls: TlsMaterial | undefined;
  readonly background: Background;
}

const MISDIRECTED = JSON.stringify({
  message:
    'The playground answers this machine only. Call it by localhost, or list the host in PLAYGROUND_HOSTS.',
});
/** What is sent to a browser that may read an answer across origins (interface 5.3.6, Tracing requests). */
const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Accept-Language, Content-Type, X-Request-Id, X-Session-Id',
  'Access-Control-Expose-Headers': 'Content-Disposition, Content-Length, Content-Language, Retry-After',
  'Access-Control-Max-Age': '600',
};

/** One HTTP server of the playground, or one for HTTP/2 and 1.1 under TLS: applies faults, and logs the calls. */
export class Listener {
  private readonly sockets = new Set<Socket>();

  /**
   * @param url origin without a slash at the end; kept, since a request under way may read it when the listener has
   *   closed, and its server has no address any more
   */
  private constructor(
    private readonly parts: ListenerParts,
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Listens immediately, so that the address is known before the routes. */
  static async open(parts: ListenerParts): Promise<Listener> {
    const { tls, port, host, background } = parts;
    // Requests and responses of node's HTTP/2 server have the interface of its HTTP/1.1 server.
    const server =
      tls === undefined
        ? createServer()
        : (createSecureServer({ ...tls, allowHTTP1: true }) as unknown as Server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    server.on('error', (error) => background.fail('a listener', error));
    return new Listener(parts, server, originOf(server, parts));
  }

  /**
   * Serves these routes. One with a schema of its body takes JSON, the others read the bytes.
   * @param state the present state, which each request keeps to its end
   */
  async serve(routes: readonly RouteOptions[], state: () => State): Promise<void> {
    const app = fastify({
      serverFactory: (handle) =>
        this.server.on('request', (request, response) => {
          if (this.parts.hosts.isFor(request)) handle(request, response);
          else response.writeHead(421, { 'Content-Type': 'application/json' }).end(MISDIRECTED);
        }),
      exposeHeadRoutes: false,
      ajv: {
        customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, verbose: true },
      },
      schemaErrorFormatter: sentenceOf,
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, readBody);
    app.decorateRequest('state');
    app.decorateRequest('exchange');
    app.addHook('onRequest', async (request, reply) => {
      request.state = state();
      await this.admit(request, reply);
    });
    app.addHook('onSend', async (request, reply, payload) => this.finish(request, reply, payload));
    app.setErrorHandler<FastifyError>((error, request, reply) => this.explain(error, request, reply));
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'There is nothing at this path.' }),
    );
    for (const route of routes) app.route(route);
    for (const { url } of routes) refuseOtherMethods(app, url, routes);
    await app.ready();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }

  /** Meets the planned fault, and refuses what a page of another origin may not call. */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { state, headers } = request;
    const { name, openToBrowsers } = request.routeOptions.config;
    const isOpen = openToBrowsers === true || this.parts.hosts.arePages(headers.origin);
    if (isOpen) reply.headers(CORS_HEADERS);
    const isPlain = name === undefined || name === 'control' || name === 'page' || isPreflight(request);
    const fault = isPlain ? undefined : state.faults.takeForCall(name);
    const credential = state.tokens.read(headers.authorization);
    request.exchange = { startedAtMs: performance.now(), credential, fault, notes: {} };
    reply.header('Cache-Control', 'no-store');
    if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
    if (fault?.hang === true || fault?.reset === true) {
      if (fault.hang !== true) breakConnection(request);
      this.log(request, null);
      reply.hijack();
    } else if (fault?.status !== undefined) {
      await reply.code(fault.status).send(fault.body ?? { message: 'A planned fault of the playground.' });
    } else if (!isOpen && !request.is404 && this.isForeignPage(request)) {
      await reply.code(403).send({ message: 'Pages of other origins have no access to this.' });
    }
  }

  /** Logs the call, and spoils the answer as the fault says. */
  private async finish(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const { state, exchange } = request;
    reply.header('Date', new Date(state.clock.now()).toUTCString());
    if (exchange.fault?.loseAnswer === true) {
      breakConnection(request);
      this.log(request, null);
      return '';
    }
    this.log(request, reply.statusCode);
    return exchange.fault === undefined ? payload : spoil(payload, exchange.fault, reply);
  }

  private log(request: FastifyRequest, status: number | null): void {
    const { state, exchange, routeOptions } = request;
    const { name = 'unknown' } = routeOptions.config;
    if (name === 'control' || name === 'page' || isPreflight(request)) return;
    const { credential, startedAtMs, fault, notes } = exchange;
    const header = (one: string): string | null => {
      const value = request.headers[one];
      return typeof value === 'string' ? value : null;
    };
    state.calls.add({
      method: request.method,
      path: request.url.replace(/\?.*/s, ''),
      requestId: header('x-request-id'),
      sessionId: header('x-session-id'),
      userAgent: header('user-agent'),
      traceparent: header('traceparent'),
      acceptLanguage: header('accept-language'),
      time: new Date(state.clock.now()).toISOString(),
      listener: this.parts.name,
      route: name,
      token: credential.state === 'valid' ? credential.token.kind : credential.state,
      status,
      durationMs: Math.round(performance.now() - startedAtMs),
      fault: fault !== undefined,
      ...notes,
    });
  }

  /** True if a page of another origin sent this: browsers say so with every request that could change something. */
  private isForeignPage({ headers }: FastifyRequest): boolean {
    const scheme = this.parts.tls === undefined ? 'http' : 'https';
    const host = headers[':authority'] ?? headers.host;
    return headers.origin !== undefined && headers.origin !== `${scheme}://${String(host)}`;
  }

  /** What is wrong with a request; a fault of the playground's own is reported, and answered like any other. */
  private explain(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const isWish = error instanceof RangeError && request.routeOptions.config.name === 'control';
    const status = isWish ? 400 : (error.statusCode ?? 500);
    if (status < 500) return reply.code(status).send({ code: 'BAD_USER_INPUT', message: error.message });
    this.parts.background.fail(`${request.method} ${request.url}`, error);
    return reply.code(500).send({ message: 'The playground failed; its standard error says how.' });
  }
}

/** A type that makes browsers send a preflight, so that a page of another origin cannot pass JSON off as a form. */
async function readBody({ routeOptions, headers }: FastifyRequest, body: Buffer): Promise<unknown> {
  if (routeOptions.schema?.body === undefined) return body;
  const { mediaType, utf8 } = readContentType(headers['content-type']);
  if (mediaType !== 'application/json' || !utf8) throw refusal(415, 'Send application/json in UTF-8.');
  const parsed = parseJson(body);
  if (parsed === undefined) throw refusal(400, 'The body is not JSON in UTF-8.');
  return parsed.value;
}

/** A method that a path does not take is answered with those that it takes, a preflight for an open one with leave. */
function refuseOtherMethods(app: FastifyInstance, url: string, routes: readonly RouteOptions[]): void {
  const own = routes.filter((route) => route.url === url);
  const open = own.filter(({ config }) => config?.openToBrowsers === true);
  const method = app.supportedMethods.filter((one) => !app.hasRoute({ method: one, url }));
  const namesOf = (some: readonly RouteOptions[]): string => some.flatMap((route) => route.method).join(', ');
  if (method.length === 0) return;
  app.route({
    method,
    url,
    config: { ...own[0]?.config, openToBrowsers: open.length > 0 },
    handler: () => undefined,
    onRequest: async (request, reply) => {
      const isOpen = reply.hasHeader('Access-Control-Allow-Origin');
      if (isOpen && request.method === 'OPTIONS') {
        const methods = namesOf(open.length > 0 ? open : own);
        await reply.code(204).header('Access-Control-Allow-Methods', methods).send();
      } else {
        await reply
          .code(405)
          .header('Allow', namesOf(own))
          .send({ message: 'This method is not allowed here.' });
      }
    },
  });
}

/** True if a browser asks by this whether it may send another request. */
function isPreflight({ method, is404, routeOptions }: FastifyRequest): boolean {
  return method === 'OPTIONS' && !is404 && routeOptions.config.openToBrowsers === true;
}

/** Without TLS by a TCP reset, else by closing the socket. */
function breakConnection({ raw }: FastifyRequest): void {
  const request: unknown = raw;
  if (request instanceof Http2ServerRequest) request.stream.session?.destroy();
  else if (raw.socket instanceof TLSSocket) raw.socket.destroy();
  else raw.socket.resetAndDestroy();
}

/** Where the listener is called from this machine. */
function originOf(server: Server, { host, tls }: ListenerParts): string {
  const { port } = server.address() as AddressInfo;
  const called = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const inUrl = isIPv6(called) ? `[${called}]` : called;
  return `${tls === undefined ? 'http' : 'https'}://${inUrl}:${String(port)}`;
}
