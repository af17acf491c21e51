import { once } from 'node:events';
import { connect, type Socket, createServer } from 'node:net';
import { Transform, type Duplex } from 'node:stream';
import { createServer as createHttpServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createListener } from '../../src/http/incoming/listener.js';
import type { EndListener } from '../../src/http/request-end.js';
import { endsByItself, portOf } from './machine.js';

/** A connection that a test writes to byte by byte. */
export interface RawConnection {
  readonly socket: Socket;
  /** The bytes received so far. */
  readonly received: () => string;
  /** Resolves once the server has ended the connection, however it did. */
  readonly closed: Promise<void>;
  /** Resolves with the status line and everything else received, once `pattern` was. */
  receives(pattern: RegExp): Promise<string>;
}

/**
 * Connects and sends `text`; more may follow. Takes no notice when the server ends its half: a hostile caller would
 * not. The connection ends with its test.
 */
export async function openRaw(url: string, text: string | Buffer = ''): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve()).once('end', () => resolve());
  });
  await once(socket, 'connect');
  endsByItself(() => socket.destroy());
  if (text !== '') socket.write(text);
  return {
    socket,
    received: () => received,
    closed,
    receives: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(received)) resolve(received);
        };
        socket.on('data', look);
        socket.once('close', () => {
          look();
          reject(new Error(`closed after ${JSON.stringify(received)}`));
        });
        look();
      }),
  };
}

/** Asks for a file and reads only the head of the answer; resolves to its status, 0 where there is none. */
export async function takeNothing(url: string, path: string, token: string) {
  const request = `GET ${path} HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${token}\r\n\r\n`;
  const { socket, receives } = await openRaw(url, request);
  const head = await receives(/\r\n/).catch(() => 'closed 0');
  socket.pause();
  return { socket, status: Number(head.split(' ')[1]) };
}

/** A listener that a test gives routes. */
export function aListener(
  config: Partial<Parameters<typeof createListener>[0]> = {},
  observe: EndListener = () => undefined,
  options?: Parameters<typeof createListener>[2],
): FastifyInstance {
  const settings = {
    BODY_LIMIT_BYTES: 1_048_576,
    CONNECTIONS_MAX: 10,
    KEEP_ALIVE_SECONDS: 95,
    TRUST_PROXY: [],
    TRUST_TRACE: false,
  };
  const listener = createListener({ ...settings, ...config }, observe, options);
  endsByItself(() => listener.close());
  return listener;
}

/** The URL of a listener that has its routes. */
export function urlOf(listener: FastifyInstance): Promise<string> {
  return listener.listen({ port: 0, host: '127.0.0.1' });
}

/** The head of a request with a JSON body of so many bytes; of chunks without it. */
export function jsonHead(method: string, path: string, bytes?: number): string {
  const framing = bytes === undefined ? 'transfer-encoding: chunked' : `content-length: ${bytes}`;
  return `${method} ${path} HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
}

/** A way to a server that can be shut, as if the server were gone, and opened again. */
export interface TcpGate {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  shut(): void;
  open(): void;
  /** Holds back what is sent either way, as if the server had been stopped; its connections stay. */
  stall(): void;
  /** Passes on what was held back, and all that follows. */
  resume(): void;
  /** Drops for ever what is sent on the connections there are, which stay; new ones pass. */
  silence(): void;
  /** Passes on each piece, either way, so many milliseconds later; 0 ends that. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** Opens a gate on a free port of the loopback interface. */
export async function openTcpGate(targetPort: number, targetHost: string): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  let isStalled = false;
  let delayMs = 0;
  const late = (): Transform =>
    new Transform({
      transform: (piece, _encoding, done) =>
        void (delayMs > 0 ? setTimeout(done, delayMs, null, piece) : done(null, piece)),
    });
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    if (!isOpen) return void client.resetAndDestroy();
    const target = connect(targetPort, targetHost);
    track(target);
    client.pipe(late()).pipe(target).pipe(late()).pipe(client);
    if (isStalled) hold(client, target);
    client.once('close', () => target.destroy());
    target.once('close', () => client.destroy());
  });
  const port = await portOf(server);
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const hold = (...ends: Socket[]): void => {
    for (const end of ends) end.pause();
  };
  const close = (): Promise<void> => {
    cut();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  endsByItself(close);
  return {
    port,
    shut: () => {
      isOpen = false;
      cut();
    },
    open: () => {
      isOpen = true;
    },
    stall: () => {
      isStalled = true;
      hold(...sockets);
    },
    resume: () => {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    close,
  };
}

/** An HTTP proxy that takes `CONNECT` alone, as companies put between their networks and the internet. */
export interface ConnectProxy {
  readonly url: URL;
  /** The authority and the credentials of each request so far. */
  readonly requests: readonly { readonly authority: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** What the proxy does with a request: connects to a port of this machine, answers a status, or nothing at all. */
export type Passage = { readonly port: number } | { readonly status: number } | 'silence' | 'end';

/** Starts a proxy that sends each authority where `passage` says. */
export async function startConnectProxy(passage: (authority: string) => Passage): Promise<ConnectProxy> {
  const requests: { authority: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Duplex>();
  const server = createHttpServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    sockets.add(client.on('error', () => undefined));
    requests.push({ authority: url, authorization: headers['proxy-authorization'] });
    const to = passage(url);
    if (to === 'silence') return;
    if (to === 'end') return void client.destroy();
    if ('status' in to) return void client.end(`HTTP/1.1 ${to.status} No\r\n\r\n`);
    const origin = connect(to.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      origin.pipe(client).pipe(origin);
    });
    sockets.add(origin.on('error', () => client.destroy()));
  });
  const port = await portOf(server);
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  endsByItself(close);
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    close,
  };
}
