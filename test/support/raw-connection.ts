import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

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
 * not.
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
  socket.unref(); // half of it stays open where no one destroys it
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

/** The head of a request with a JSON body of so many bytes; of chunks without it. */
export function jsonHead(method: string, path: string, bytes?: number): string {
  const framing = bytes === undefined ? 'transfer-encoding: chunked' : `content-length: ${bytes}`;
  return `${method} ${path} HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
}
