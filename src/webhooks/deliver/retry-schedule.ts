const SECOND_MS = 1_000;

/** Share by which a pause is randomly lengthened or shortened, so that events that failed together spread out. */
export const RETRY_JITTER = 0.2;

/**
 * The pause after the given number of failed attempts, in milliseconds; undefined when there is no further one.
 * @param pausesSeconds the schedule: the pause after the first failed attempt, the second, and so on
 * @param random from 0 to 1
 * @param atLeastMs what the receiver asked for
 */
export function retryPauseMs(
  pausesSeconds: readonly number[],
  attempts: number,
  random: number,
  atLeastMs = 0,
): number | undefined {
  const seconds = pausesSeconds[Math.max(1, attempts) - 1];
  if (seconds === undefined) return undefined;
  return Math.max(Math.round(seconds * SECOND_MS * (1 + RETRY_JITTER * (2 * random - 1))), atLeastMs);
}
