import type { ServerResponse } from 'node:http';

/**
 * The least that a caller must take in each window: few bytes in a long one, since the operating system buffers more than
 * this before it reports that a slow caller took anything.
 */
const BYTES_MIN = 65_536;
/** The window of an answer or a file. */
export const SLOW_READER_MS = 60_000;

/** Watches how fast a response is read. */
export interface ReadingWatch {
  /** True if the response was cut because it was read too slowly. */
  readonly stalled: boolean;
  stop(): void;
}

/**
 * Disconnects a caller that takes less than 64 KiB in a window while more is waiting. If nothing is waiting, the upstream
 * is slow. The watch must be stopped when the response ends.
 */
export function cutIfSlow(response: ServerResponse, windowMs: number): ReadingWatch {
  let stalled = false;
  let before = bytesTaken(response);
  const timer = setInterval(() => {
    const taken = bytesTaken(response);
    if (response.writableLength > 0 && taken - before < BYTES_MIN) {
      stalled = true;
      response.destroy();
    }
    before = taken;
  }, windowMs);
  return {
    get stalled() {
      return stalled;
    },
    stop: () => clearInterval(timer),
  };
}

/** The bytes that the operating system took of the response: its buffers and the caller. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
