import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, Http2ServerRequest } from 'node:http2';
import { isIPv6, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Background } from '../background.js';
import { cannedAnswer, spoil } from '../faults/apply-fault.js';
import type { Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import type { TlsMaterial } from '../tls/make-tls.js';
import type { Tokens } from '../tokens/tokens.js';
import type { Call, CallLog } from './call-log.js';
import { corsHeaders } from './cors.js';
import { json, type Answer, type CallNotes, type Incoming, type Route } from './exchange.js';
import type { OwnHosts } from './own-hosts.js';
import { readBody } from './read-body.js';
import { sendAnswer } from './send-answer.js';

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

/** The state that a listener serves. A request keeps the state that it arrived in, even if another is served afterwards. */
export interface Served {
  readonly routes: readonly Route[];
  readonly clock: { readonly now: () => number };
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: CallLog;
}

const MISDIRECTED = json(421, {
  message:
    'The playground answers this machine only. Call it by localhost, or list the host in PLAYGROUND_HOSTS.',
});

const FOREIGN_PAGE = json(403, { message: 'Pages of other origins have no access to this.' });

/** One HTTP server of the playground, or one for HTTP/2 and 1.1 under TLS: finds the route, applies faults, logs the call. */
export class Listener {
  private readonly sockets = new Set<Socket>();

  /**
   * @param url origin without a slash at the end; kept, since a request under way may read it when the listener has
   *   closed, and its server has no address any more
   */
  private constructor(
    private readonly parts: ListenerParts,
    private served: Served,
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response).catch((error: unknown) => {
        if (!response.destroyed) parts.background.fail('an answer', error); // the caller has not left
        response.destroy();
      });
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Listens immediately, so that the address is known before the routes. */
  static async open(parts: ListenerParts, served: Served): Promise<Listener> {
    const server = parts.tls === undefined ? createServer() : openSecureServer(parts.tls);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(parts.port, parts.host, resolve);
    });
    server.on('error', (error) => parts.background.fail('a listener', error));
    return new Listener(parts, served, server, originOf(server, parts));
  }

  /** Serves this to every request from now on. */
  serve(served: Served): void {
    this.served = served;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.parts.hosts.isFor(request)) return sendAnswer(response, MISDIRECTED, false, undefined);
    const { served } = this;
    const url = new URL(`http://playground${request.url ?? '/'}`);
    const route = served.routes.find(({ path }) =>
      typeof path === 'string' ? path === url.pathname : path.test(url.pathname),
    );
    const startedAtMs = performance.now();
    const credential = served.tokens.read(request.headers.authorization);
    const notes: CallNotes = {};
    const isLogged = route?.name !== 'control' && route?.name !== 'page';
    const isPreflight = request.method === 'OPTIONS' && route !== undefined && isOpen(route, 'OPTIONS');
    const fault =
      isLogged && route !== undefined && !isPreflight ? served.faults.takeForCall(route.name) : undefined;
    const log = (status: number | null): void => {
      if (!isLogged || isPreflight) return;
      served.calls.add({
        ...describe(request, url.pathname),
        time: new Date(served.clock.now()).toISOString(),
        listener: this.parts.name,
        route: route?.name ?? 'unknown',
        token: credential.state === 'valid' ? credential.token.kind : credential.state,
        status,
        durationMs: Math.round(performance.now() - startedAtMs),
        fault: fault !== undefined,
        ...notes,
      });
    };

    if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
    if (fault?.hang === true) return log(null);
    if (fault?.reset === true) return breakConnection(request, () => log(null));
    const answer = await this.produce(route, request, url, notes, fault);
    if (fault?.loseAnswer === true) return breakConnection(request, () => log(null));
    const spoilt = fault === undefined ? answer : spoil(answer, fault);
    log(spoilt.status);
    const cors = route !== undefined && isOpen(route, request.method) ? corsHeaders(openMethods(route)) : {};
    const headers = { Date: new Date(served.clock.now()).toUTCString(), ...cors, ...spoilt.headers };
    await sendAnswer(response, { ...spoilt, headers }, request.method === 'HEAD', fault);
  }

  private async produce(
    route: Route | undefined,
    request: IncomingMessage,
    url: URL,
    notes: CallNotes,
    fault: Fault | undefined,
  ): Promise<Answer> {
    const canned = fault === undefined ? undefined : cannedAnswer(fault);
    if (canned !== undefined) return canned;
    if (route === undefined) return json(404, { message: 'There is nothing at this path.' });
    const method = request.method ?? 'GET';
    if (method === 'OPTIONS' && isOpen(route, method)) return { status: 204, headers: {} };
    if (route.openToBrowsers === undefined && this.isForeignPage(request)) return FOREIGN_PAGE;
    if (!route.methods.includes(method)) {
      return json(405, { message: 'This method is not allowed here.' }, { Allow: route.methods.join(', ') });
    }
    const body = await readBody(request, route.bodyBytesMax ?? 1_048_576);
    if (body === undefined) return json(413, { message: 'The body is too large.' }, { Connection: 'close' });
    const incoming: Incoming = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      notes,
    };
    return this.handle(route, incoming);
  }

  /** True if a page of another origin sent this: browsers say so with every request that could change something. */
  private isForeignPage({ headers }: IncomingMessage): boolean {
    const scheme = this.parts.tls === undefined ? 'http' : 'https';
    const host = headers[':authority'] ?? headers.host;
    return headers.origin !== undefined && headers.origin !== `${scheme}://${String(host)}`;
  }

  /** A fault of the playground's own is reported, and answered like any other. */
  private async handle(route: Route, incoming: Incoming): Promise<Answer> {
    try {
      return await route.handle(incoming);
    } catch (error) {
      this.parts.background.fail(`${incoming.method} ${incoming.path}`, error);
      return json(500, { message: 'The playground failed; its standard error says how.' });
    }
  }
}

/** True if pages of other origins may call a route by this method, or send a preflight request for it. */
function isOpen(route: Route, method: string | undefined): boolean {
  return method === 'OPTIONS'
    ? route.openToBrowsers !== undefined
    : openMethods(route).includes(method ?? '');
}

function openMethods({ openToBrowsers, methods }: Route): readonly string[] {
  if (openToBrowsers === undefined) return [];
  return openToBrowsers === 'POST' ? ['POST'] : methods;
}

function describe(
  request: IncomingMessage,
  path: string,
): Omit<Call, 'id' | 'time' | 'listener' | 'route' | 'token' | 'status' | 'durationMs' | 'fault'> {
  const header = (name: string): string | null => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    method: request.method ?? '',
    path,
    requestId: header('x-request-id'),
    sessionId: header('x-session-id'),
    userAgent: header('user-agent'),
    traceparent: header('traceparent'),
    acceptLanguage: header('accept-language'),
  };
}

/** Requests and responses of node's HTTP/2 server have the interface of its HTTP/1.1 server. */
function openSecureServer(tls: TlsMaterial): Server {
  return createSecureServer({ ...tls, allowHTTP1: true }) as unknown as Server;
}

/** Without TLS by a TCP reset, else by closing the socket. */
function breakConnection(request: IncomingMessage | Http2ServerRequest, log: () => void): void {
  log();
  if (request instanceof Http2ServerRequest) request.stream.session?.destroy();
  else if (request.socket instanceof TLSSocket) request.socket.destroy();
  else request.socket.resetAndDestroy();
}

/** Where the listener is called from this machine. */
function originOf(server: Server, { host, tls }: ListenerParts): string {
  const { port } = server.address() as AddressInfo;
  const called = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const inUrl = isIPv6(called) ? `[${called}]` : called;
  return `${tls === undefined ? 'http' : 'https'}://${inUrl}:${String(port)}`;
}
