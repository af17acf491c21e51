import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Connects by the client library, which can be told of no listener for errors before the connection is open: an error that
 * came with the last bytes of the beginning would end the process. So each byte of the beginning, of which there are some
 * six hundred, is read in a turn of its own until the work is done and its caller listens.
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
