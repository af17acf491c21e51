import type { Worker } from 'node:cluster';

interface Handle {
  close(): void;
}

/**
 * Closes, when a worker ends, the connection that it was handed last and has not taken: `node:cluster` hands it one after
 * the other, closes its own handle of one only when the worker says that it has it, and would leave the caller of a worker
 * that dies before without an end. Closing a handle again does nothing.
 */
export function closeUntaken(worker: Worker): Worker {
  const { process } = worker;
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  let handed: Handle | undefined;
  process.send = (message: unknown, handle?: unknown, ...rest: unknown[]): boolean => {
    if (handle !== null && typeof handle === 'object' && 'close' in handle) handed = handle as Handle;
    return send(message, handle, ...rest);
  };
  worker.once('exit', () => handed?.close());
  return worker;
}
