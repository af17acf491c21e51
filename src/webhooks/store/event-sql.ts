// SQL that several statements on events share.

/** Queues an event as if it had never been delivered; reports on a delivery under way change nothing any more. */
export const FROM_THE_START = `state = 'pending', attempts = 0, schedule_start = 0, recoveries = 0, done = '',
  lease = lease + 1`;

/** Begins the reason of an event that waits for its object, in the column `last_failure`. */
export const OBJECT_FAILURE = 'object: ';

/** So many rows a statement takes at once. */
const ROWS_AT_ONCE = [50, 10, 1];

/** Chunks of few sizes, so that few statements are prepared. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < items.length; start += chunks.at(-1)!.length) {
    const size = ROWS_AT_ONCE.find((rows) => rows <= items.length - start)!;
    chunks.push(items.slice(start, start + size));
  }
  return chunks;
}

/** `$1, $2 …` */
export function placeholders(count: number, from = 1): string {
  return Array.from({ length: count }, (_, index) => `$${from + index}`).join(', ');
}
