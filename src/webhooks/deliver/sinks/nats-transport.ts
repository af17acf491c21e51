import type { Socket } from 'node:net';
import type { ConnectionOptions, ServerInfo } from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';

/** More than a server says in a second of its own accord, the largest greeting included. */
const UNASKED_BYTES_MAX = 65_536;
/** The longest answer to a message, for each byte of it; what is as short as a pong asks for nothing. */
const ANSWER_BYTES_PER_BYTE = 4;
const PONG_BYTES = 6;
const WINDOW_MS = 1_000;

/** Options of a connection whose socket is made by its user. */
export interface SocketOptions extends ConnectionOptions {
  readonly openSocket: () => Socket;
}

/**
 * The transport of the client library, on a socket of ours: it reaches allowed addresses alone, and can be destroyed at any
 * time. The library's own keeps one open on which the server is silent, and resolves names itself. A server that sends
 * more in a second than it was asked for is left before it is read: the library would queue and answer all of it.
 */
export class SocketTransport extends NodeTransport {
  private windowEndsAt = 0;
  private bytesLeft = 0;

  override async dial(): Promise<Socket> {
    const socket = (this.options as SocketOptions).openSocket();
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('the socket was closed')));
    });
    return socket.removeAllListeners();
  }

  override peekInfo(): Promise<ServerInfo> {
    const info = super.peekInfo();
    this.bound();
    return info;
  }

  override setupHandlers(): void {
    super.setupHandlers();
    this.bound();
  }

  override send(frame: Uint8Array): void {
    if (frame.length > PONG_BYTES) this.bytesLeft += ANSWER_BYTES_PER_BYTE * frame.length;
    super.send(frame);
  }

  /** Listens behind the library, which has only queued what arrived. */
  private bound(): void {
    this.socket.on('data', ({ length }: Buffer) => {
      const now = performance.now();
      if (now >= this.windowEndsAt) {
        this.windowEndsAt = now + WINDOW_MS;
        this.bytesLeft = UNASKED_BYTES_MAX;
      }
      this.bytesLeft -= length;
      if (this.bytesLeft >= 0) return;
      this.yields.length = 0;
      this.socket.destroy(new Error('the server sends more than it was asked for'));
    });
  }
}
