import type { Socket } from 'node:net';
import type { ConnectionOptions } from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';

/** Options of a connection whose socket is made by its user. */
export interface SocketOptions extends ConnectionOptions {
  readonly openSocket: () => Socket;
}

/**
 * The transport of the client library, on a socket of ours: it reaches allowed addresses alone, and can be destroyed at any
 * time. The library's own keeps one open on which the server is silent, and resolves names itself.
 */
export class SocketTransport extends NodeTransport {
  override async dial(): Promise<Socket> {
    const socket = (this.options as SocketOptions).openSocket();
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('the socket was closed')));
    });
    return socket.removeAllListeners();
  }
}
