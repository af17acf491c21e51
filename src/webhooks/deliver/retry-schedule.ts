const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first failed attempt, the second, and so on: 47 hours in all. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Share by which a pause is randomly lengthened or shortened, so that events that failed together spread out. */
export const RETRY_JITTER = 0.2;

/**
 * The pause after the given number of failed attempts, in milliseconds; undefined when there is no further one.
 * @param random from 0 to 1
 * @param atLeastMs what the receiver asked for
 */
export function retryPauseMs(attempts: number, random: number, atLeastMs = 0): number | undefined {
  const pauseMs = RETRY_PAUSES_MS[attempts - 1];
  return pauseMs && Math.max(pauseMs * (1 + RETRY_JITTER * (2 * random - 1)), atLeastMs);
}
