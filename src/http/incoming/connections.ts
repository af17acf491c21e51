import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests on one connection that are not answered yet. Browsers and proxies send one at a time. */
const UNANSWERED_MAX = 32;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * From now on tells each caller to close its connection after the answer, so that no connection on which a request
     * could be lost is left when the listener closes.
     */
    readonly drain: () => void;
    /**
     * Resolves once the listener is closed and each of its requests has ended; `close` alone resolves a moment earlier.
     */
    readonly allEnded: () => Promise<void>;
  }
}

interface Connection {
  /** Requests on it that are not answered yet: the last byte of the answer is not sent. */
  unanswered: number;
  /** Bytes read when the last request was answered; when there are more, the next request has begun. */
  bytesAtRest: number;
}

/** The open connections of one server, and what each of them may cost. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly ended = Promise.withResolvers<void>();
  private closing = false;
  /** True once each connection is to be closed after its answer. */
  isDraining = false;

  /**
   * Tracks the connections of a server. When a connection is refused because too many are open, those between two
   * requests are closed to make room for the next. Node's own `closeIdleConnections` would close those too whose answers
   * are complete and not read to the end.
   */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, { unanswered: 0, bytesAtRest: -1 });
      socket.once('close', () => {
        this.open.delete(socket);
        this.endIfClosed();
      });
    });
    server.on('drop', () => {
      for (const [socket, { unanswered, bytesAtRest }] of this.open) {
        if (unanswered === 0 && socket.bytesRead === bytesAtRest) socket.destroy();
      }
    });
  }

  /**
   * Bounds the requests that a caller sends without waiting for answers (RFC 9112 section 9.3.2): Node parses
   * everything that arrived in one piece, hundreds of requests, before other connections get a turn. Above 32 the
   * connection is closed.
   */
  bound(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const connection = this.open.get(socket);
      if (!connection || socket.destroyed || connection.unanswered >= UNANSWERED_MAX) {
        socket.destroy();
        return;
      }
      connection.unanswered += 1;
      response.once('close', () => {
        connection.unanswered -= 1;
        connection.bytesAtRest = socket.bytesRead;
        if (this.closing && connection.unanswered === 0) socket.destroySoon();
      });
      handle(request, response);
    };
  }

  /**
   * From now on closes each connection after the answers it is owed: an answer that began before the shutdown does not
   * tell its caller to close. Connections that have never sent anything are closed at once; Node does not count them as
   * idle.
   */
  close(): void {
    this.closing = true;
    for (const socket of this.open.keys()) if (socket.bytesRead === 0) socket.destroy();
    this.endIfClosed();
  }

  /**
   * Resolves once every connection has closed after {@link close}, and with it every request has ended. A server
   * reports that it is closed a moment earlier, while its last sockets are being destroyed.
   */
  allEnded(): Promise<void> {
    return this.ended.promise;
  }

  private endIfClosed(): void {
    if (this.closing && this.open.size === 0) this.ended.resolve();
  }
}
