import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests on one connection that are not answered yet. Browsers and proxies send one at a time. */
const UNANSWERED_MAX = 32;

interface Connection {
  unanswered: number;
  /** What had been read when the last request was answered; more of it means that the next has begun. */
  bytesAtRest: number;
}

/** The open connections of one server, and what each of them may cost (contract, "Rules of all public routes"). */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private closing = false;

  /**
   * Follows the connections of a server. When so many are open that another is refused, those between two requests make
   * room for the next.
   */
  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, { unanswered: 0, bytesAtRest: 0 });
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('drop', () => this.closeWhere(isIdle));
  }

  /**
   * Bounds the requests that a caller sends without waiting for answers (RFC 9112 section 9.3.2): Node parses all that
   * came in one piece, hundreds of requests, before anybody else has a turn. Above 32 the connection is closed.
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
   * tell its caller to close. Those on which nothing ever came are closed at once; Node does not count them as idle.
   */
  close(): void {
    this.closing = true;
    this.closeWhere((_connection, { bytesRead }) => bytesRead === 0);
  }

  private closeWhere(applies: (connection: Connection, socket: Socket) => boolean): void {
    for (const [socket, connection] of this.open) if (applies(connection, socket)) socket.destroy();
  }
}

/** Whether an answer was the last that happened; not so on a connection that is new. */
function isIdle({ unanswered, bytesAtRest }: Connection, { bytesRead }: Socket): boolean {
  return unanswered === 0 && bytesRead > 0 && bytesRead === bytesAtRest;
}
