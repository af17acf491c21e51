import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/** Few bytes in a long window, since the operating system buffers more before it reports that a caller took anything. */
const BYTES_MIN = 65_536;
export const SLOW_READER_MS = 60_000;

/**
 * Disconnects a caller that takes less than 64 KiB in a window while more is waiting; if nothing is, the upstream is
 * slow.
 */
export function cutIfSlow(response: ServerResponse, windowMs: number, onEnd: () => void): void {
  let before = bytesTaken(response);
  const timer = setInterval(() => {
    const taken = bytesTaken(response);
    if (response.writableLength > 0 && taken - before < BYTES_MIN) response.destroy();
    before = taken;
  }, windowMs);
  finished(response, () => {
    clearInterval(timer);
    onEnd();
  });
}

/** The bytes that the operating system took of the response: its buffers and the caller. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
