import { setImmediate as nextTurn } from 'node:timers/promises';

/** The result of {@link within} when the work is late. */
export const LATE = Symbol('LATE');

/**
 * Waits for `work`, but no longer than `ms` milliseconds. What has arrived by then and waits to be read by a busy event
 * loop is in time. Late work continues, and its failure is ignored.
 * @throws whatever `work` rejects with in time
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => void nextTurn(LATE).then(resolve), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
