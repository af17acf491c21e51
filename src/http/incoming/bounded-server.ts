import { Server, type RequestListener, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests on one connection that are not answered yet. Browsers and proxies send one at a time. */
const UNANSWERED_MAX = 32;

interface Connection {
  /** Requests on it that are not answered yet: the last byte of the answer is not sent. */
  unanswered: number;
  /** Bytes read when the last request was answered and whole; when there are more, the next request has begun. */
  bytesAtRest: number;
}

/**
 * An HTTP server that knows what is under way on each connection. It bounds the requests sent without waiting for
 * answers (RFC 9112 section 9.3.2), since Node parses all that arrived in one piece before others get a turn. When a
 * connection is refused because too many are open, it closes those between two requests.
 */
export class BoundedServer extends Server {
  private readonly open = new Map<Socket, Connection>();
  private isClosing = false;

  constructor(options: ServerOptions, handle: RequestListener) {
    super(options);
    this.on('connection', (socket: Socket) => {
      this.open.set(socket, { unanswered: 0, bytesAtRest: -1 });
      socket.once('close', () => {
        this.open.delete(socket);
        if (this.open.size === 0) this.emit('empty');
      });
    });
    this.on('drop', () => this.closeIdleConnections());
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1); Node would answer it without our headers.
    this.on('checkExpectation', (...exchange) => this.emit('request', ...exchange));
    this.on('request', (request, response) => {
      const { socket } = request;
      const connection = this.open.get(socket);
      if (!connection || socket.destroyed || connection.unanswered >= UNANSWERED_MAX) {
        socket.destroy();
        return;
      }
      connection.unanswered += 1;
      response.once('close', () => {
        connection.unanswered -= 1;
        this.rest(socket, connection);
        if (!request.complete) request.once('end', () => this.rest(socket, connection));
      });
      handle(request, response);
    });
  }

  /** Those between two requests. Node would also close those whose answer is complete but not read to the end. */
  override closeIdleConnections(): void {
    for (const [socket, { unanswered, bytesAtRest }] of this.open) {
      if (unanswered === 0 && socket.bytesRead === bytesAtRest) socket.destroy();
    }
  }

  private rest(socket: Socket, connection: Connection): void {
    connection.bytesAtRest = socket.bytesRead;
    if (this.isClosing && connection.unanswered === 0) socket.destroySoon();
  }

  /**
   * Closes each connection after the answers it is owed; at once if it never sent anything, which Node does not count
   * as idle.
   * @param done called once the last connection has closed; Node calls it a moment earlier
   */
  override close(done?: (error?: Error) => void): this {
    this.isClosing = true;
    for (const socket of this.open.keys()) if (socket.bytesRead === 0) socket.destroy();
    return super.close((error) => {
      if (this.open.size === 0) done?.(error);
      else this.once('empty', () => done?.(error));
    });
  }
}
