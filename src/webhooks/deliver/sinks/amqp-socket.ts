import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Connects by the client library, which takes no listener for errors before the connection is open. An error in the last
 * bytes of the handshake would end the process. Each of its some six hundred bytes is therefore read in its own turn of the
 * event loop, until the work is done and its caller listens.
 * @param onOpen called with the socket before it connects
 * @param work opens its socket at once
 */
export async function readByteByByte<T>(
  onOpen: (socket: Socket) => void,
  work: () => Promise<T>,
): Promise<T> {
  const hurries: (() => void)[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    onOpen(socket);
    hurries.push(slowDown(socket));
  };
  subscribe('net.client.socket', onSocket);
  const connecting = work();
  unsubscribe('net.client.socket', onSocket);
  try {
    return await connecting;
  } finally {
    for (const hurry of hurries) hurry();
  }
}

/** @returns lets the rest be read as it comes */
function slowDown(socket: Socket): () => void {
  const read = socket.read.bind(socket) as (bytes?: number) => Buffer | null;
  let isTurnOver = false;
  socket.read = (bytes?: number) => {
    if (isTurnOver || bytes === 0) return read(0);
    const byte = read(1);
    if (byte === null) return null;
    isTurnOver = true;
    setImmediate(() => {
      isTurnOver = false;
      socket.emit('readable');
    });
    return byte;
  };
  return () => {
    socket.read = read;
  };
}
