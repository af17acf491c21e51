import { setImmediate as nextTurn } from 'node:timers/promises';

/** The result of {@link within} when the work is late. */
export const LATE = Symbol('LATE');

/**
 * Waits for `work`, but no longer than `ms` milliseconds. Late work continues, and its failure is ignored.
 * @throws whatever `work` rejects with in time
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same for the answer of a server: one that has arrived and waits to be read by a busy event loop is in time.
 * @throws whatever `answer` rejects with in time
 */
export async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T | typeof LATE> {
  const result = await within(ms, answer);
  if (result !== LATE) return result;
  await nextTurn();
  return Promise.race([answer, Promise.resolve<typeof LATE>(LATE)]);
}
